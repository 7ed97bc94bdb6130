"""What the page is sent: one Trace, or a few masks, as a JSON string with the arrays packed in base64. NumPy only.

L layers, H heads, S source length, T target length, Q queries, K keys.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transformer.diagnostics import Diagnostics, diagnose
from transformer.trace import KINDS, Alignment, Booleans, Floats, Kind, Trace
from viz.view import word_places

if TYPE_CHECKING:
    from transformer.proof import Proof  # which needs torch, where this needs its two numbers only

#: decode.js refuses a payload of another version.
VERSION = 2
#: A weight of 1 in 16 bits: the step is 0.000015.
SCALE = 65535
#: Decimals of a weight on the page.
SHOWN_DECIMALS = 4
#: Decimals of a head's diagnostics; the page shows four.
DECIMALS = 6


@dataclass(frozen=True)
class ForcedPair:
    """An output that the visitor typed, and what the model would have written instead."""

    typed: str
    own_text: str
    own_log_prob: float  # natural log of the probability of the model's own output, all of its tokens together
    own_finished: bool  # False: it was cut before the model ended it, so that its end is not part of the probability


@dataclass(frozen=True, eq=False)
class MaskPanel:
    """One mask to be shown. `id` is the text key of its title, `id.reading` that of the sentence on how to read it."""

    id: str
    row_tokens: tuple[str, ...]  # (Q) what looks
    column_tokens: tuple[str, ...]  # (K) what is looked at
    allowed: Booleans  # (Q, K); True = may attend

    def __post_init__(self) -> None:
        """Raises ValueError when the mask does not fit its tokens."""
        shape = (len(self.row_tokens), len(self.column_tokens))
        if self.allowed.shape != shape:
            raise ValueError(f"the mask {self.id} is {self.allowed.shape}, but its tokens are {shape}")


def board_payload(
    trace: Trace, proof: "Proof", alignment: Alignment | None = None, forced: ForcedPair | None = None
) -> str:
    """The trace without its scores, what is known of its heads, and the pair that was typed, if one was.

    A weight takes two bytes before base64, little-endian, as `in_steps` makes them.
    """
    return _inert_json(
        {
            "version": VERSION,
            "model": trace.model,
            "sourceText": trace.source_text,
            "target": trace.target,
            "text": trace.text,
            "beamSize": trace.beam_size,
            "forced": trace.forced,
            "finished": trace.finished,
            "dropped": trace.dropped,
            "sourceTokens": trace.source_tokens,
            "sourceSurfaces": trace.source_surfaces,
            "targetTokens": trace.target_tokens,
            "outputTokens": trace.output_tokens,
            "specialTokens": trace.special_tokens,
            "words": word_places(trace),
            "logProbs": trace.log_probs.tolist(),
            "topK": trace.top_k,
            "alignmentHead": None if alignment is None else asdict(alignment.best),
            "proof": {"rowSum": proof.row_sum, "replay": proof.replay},
            "diagnostics": {
                kind: _rounded(found)
                for kind, found in diagnose(trace, None if alignment is None else alignment.accuracy).items()
            },
            "forcedText": None if forced is None else forced.typed,
            "ownChoice": None if forced is None else _own_choice(forced),
            "maps": {kind: _packed_map(trace, kind) for kind in KINDS},
        }
    )


def masks_payload(panels: Sequence[MaskPanel], special_tokens: Sequence[str] = ()) -> str:
    """All panels in their order. `special_tokens` are those to be marked as standing for no text."""
    return _inert_json(
        {
            "version": VERSION,
            "specialTokens": list(special_tokens),
            "panels": [
                {
                    "id": panel.id,
                    "reading": f"{panel.id}.reading",
                    "rows": panel.row_tokens,
                    "columns": panel.column_tokens,
                    "allowed": _packed_mask(panel.allowed),
                }
                for panel in panels
            ],
        }
    )


def _rounded(found: Diagnostics) -> dict[str, Any]:
    """Each measure by its name: (L, H) nested lists, or None."""
    return {
        name: None if numbers is None else numbers.round(DECIMALS).tolist() for name, numbers in vars(found).items()
    }


def _own_choice(forced: ForcedPair) -> dict[str, Any]:
    return {"text": forced.own_text, "logProb": forced.own_log_prob, "finished": forced.own_finished}


def _packed_map(trace: Trace, kind: Kind) -> dict[str, Any]:
    weights, mask = trace.weights(kind), trace.mask(kind)
    return {
        "shape": weights.shape,  # (L, H, Q, K)
        "weights": _packed_weights(weights),
        "mask": None if mask.all() else _packed_mask(mask),
    }


def in_steps(weights: Floats) -> NDArray[np.uint16]:
    """Weights in steps of 1/65535: of the steps that have a weight's own four decimals, the nearest. Any shape."""
    exact = weights.astype(np.float64)
    steps = np.rint(exact * SCALE)
    # The nearest of all may lie beyond the border at which the last decimal changes; then its neighbour does not.
    steps += np.sign(exact.round(SHOWN_DECIMALS) - (steps / SCALE).round(SHOWN_DECIMALS))
    return steps.astype(np.uint16)


def _packed_weights(weights: Floats) -> str:
    return base64.b64encode(in_steps(weights).astype("<u2").tobytes()).decode()


def _packed_mask(mask: Booleans) -> str:
    """One byte a cell, row by row: 1 = may attend."""
    return base64.b64encode(mask.astype(np.uint8).tobytes()).decode()


def _inert_json(value: Any) -> str:
    """JSON that stays text even where it is taken for HTML: "<" occurs in strings only, where JSON may escape it."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
