"""What kind of head a head is: a few numbers for each head of a trace. NumPy only.

L layers, H heads, Q queries, K keys. Positions are counted as the model counts them, special tokens included: in the
cross-attention, row t and column t are the t-th token that went into the decoder and the t-th that the encoder read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transformer.trace import KINDS, Kind, Trace

#: One number for each head, (L, H), or None where it has no meaning.
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """The heads of one map. Each number is a mean over rows, which all count the same."""

    #: Shannon entropy of a row in bits, -sum w log2 w: 0 when all weight is on one token, log2 n when it is spread
    #: evenly over n tokens. 2 to the power of it is, so to say, the number of tokens looked at.
    entropy: Numbers
    #: What a row's weights on the columns of special tokens add up to (start, end, language tag; not unknown pieces).
    special: Numbers
    #: Weight on the column at the row's own position. Rows past the last column do not count.
    diagonal: Numbers
    #: Weight on the column one before the row's position; the first row has none. None when no row has one.
    previous: Numbers | None
    #: Weight on the column one behind the row's position. None when no row has one, and in the decoder's
    #: self-attention, where the mask forbids it.
    next: Numbers | None
    #: Share of copied word types at which the head's largest weight is on the source word, as evaluation found it on
    #: valid.tsv: a number of the checkpoint, not of this trace. Cross-attention only; None where it is not known.
    alignment: Numbers | None


def diagnose(trace: Trace, alignment: Sequence[Sequence[float]] | None = None) -> dict[Kind, Diagnostics]:
    """The numbers of every head of the trace. alignment: (L, H) of the cross-attention, if known."""
    return {kind: _of_map(trace, kind, alignment if kind == "cross" else None) for kind in KINDS}


def _of_map(trace: Trace, kind: Kind, alignment: Sequence[Sequence[float]] | None) -> Diagnostics:
    weights = trace.weights(kind).astype(np.float64)  # (L, H, Q, K)
    columns = trace.target_tokens if kind == "decoder_self" else trace.source_tokens
    special = np.isin(columns, trace.special_tokens)  # (K)
    diagonal = _at_offset(weights, 0)
    assert diagonal is not None  # every map has a first row and a first column
    return Diagnostics(
        entropy=entropy(weights).mean(-1),
        special=weights[..., special].sum(-1).mean(-1),
        diagonal=diagonal,
        previous=_at_offset(weights, -1),
        next=None if kind == "decoder_self" else _at_offset(weights, 1),
        alignment=None if alignment is None else np.array(alignment, dtype=np.float64),
    )


def entropy(weights: Numbers) -> Numbers:
    """Bits of each row, (.., K) -> (..), where 0 log 0 is 0 (Shannon, A Mathematical Theory of Communication, 1948)."""
    logarithms = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return 0.0 - (weights * logarithms).sum(-1)


def _at_offset(weights: Numbers, offset: int) -> Numbers | None:
    """Mean over rows q of the weight on column q + offset, of those that have it: (L, H, Q, K) -> (L, H)."""
    found = weights.diagonal(offset, axis1=-2, axis2=-1)  # (L, H, rows that have it)
    return found.mean(-1) if found.shape[-1] else None
