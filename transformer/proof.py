"""Two numbers that let a reader trust a trace: its rows are weights, and these weights give this output.

L layers, H heads, Q queries, K keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from transformer.attention import Edit
from transformer.model import Edits, Transformer
from transformer.recorder import record
from transformer.trace import KINDS, Floats, Trace


@dataclass(frozen=True)
class Proof:
    """How far the float32 weights of a trace are from what they claim to be; 0 is perfect."""

    #: The largest |sum of a row - 1| over the rows of all maps, layers and heads.
    row_sum: float
    #: The largest |difference| between the trace's log-probabilities (natural log) of the output tokens and those that
    #: the model gives when every attention uses the trace's weights in place of its own softmax.
    replay: float


def prove(
    model: Transformer,
    trace: Trace,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    output_ids: Sequence[int],
) -> Proof:
    """Run the trace's pair once more, with the trace's weights. The ids are those of the trace's tokens.

    Raises ValueError for a trace of a model with another number of layers or heads, or a model in training.
    """
    _check_depths(model, trace)
    replayed = record(model, source_ids, target_ids, output_ids, edits=prescribed(trace)).log_probs
    return Proof(row_sum_error(trace), float(np.abs(replayed - trace.log_probs).max()))


def row_sum_error(trace: Trace) -> float:
    """The largest |sum of a row - 1|, the float32 weights added up in float64."""
    sums = [trace.weights(kind).sum(-1, dtype=np.float64) for kind in KINDS]
    return max(float(np.abs(of_kind - 1).max()) for of_kind in sums)


def prescribed(trace: Trace) -> Edits:
    """Edits that put the trace's weights in place of whatever softmax gives, in every layer and head."""
    return {(kind, layer): _always(weights) for kind in KINDS for layer, weights in enumerate(trace.weights(kind))}


def _always(weights: Floats) -> Edit:
    """weights (H, Q, K), for a batch of one."""
    given = torch.tensor(weights).unsqueeze(0)  # (1, H, Q, K)
    return lambda found: given.to(found)


def _check_depths(model: Transformer, trace: Trace) -> None:
    """Raises ValueError. A layer that the trace has not would use its own weights, and prove nothing."""
    config = model.config
    decoder = (config.num_decoder_layers, config.num_heads)
    wanted = {"encoder_self": (config.num_encoder_layers, config.num_heads), "decoder_self": decoder, "cross": decoder}
    for kind in KINDS:
        found = trace.weights(kind).shape[:2]
        if found != wanted[kind]:
            raise ValueError(f"the trace's {kind} has {found} layers and heads, but the model {wanted[kind]}")
