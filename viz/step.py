"""One step of the decoder: what had gone in, what could have come next, and where every head looked. NumPy only.

The page shows the same step by step. L layers, H heads, S source length.
"""

from dataclasses import dataclass

from transformer.trace import Floats, Trace
from viz.view import Piece, is_place, pieces_of


@dataclass(frozen=True, eq=False)
class Step:
    """What the model had before it when it chose one token, and what came of it."""

    place: int  # from 0
    count: int  # of all steps
    #: The output was prescribed, not chosen by the model.
    forced: bool
    seen: tuple[Piece, ...]  # (place + 1) what had gone into the decoder, the start token first
    taken: Piece
    log_prob: float  # natural log of the probability of what was taken
    #: The likeliest tokens, best first, each with its log-probability. What was taken need not be one of them: a beam
    #: may take an unlikely token, a visitor may prescribe one.
    candidates: tuple[tuple[Piece, float], ...]
    columns: tuple[Piece, ...]  # (S) what is looked at
    #: (L, H, S) of the cross-attention; each head's sum to 1. Nothing is forbidden: a lone sentence has no padding.
    weights: Floats


def step_of(trace: Trace, place: int) -> Step:
    """The step that wrote `output_tokens[place]`. Raises ValueError for a place that is none."""
    count = len(trace.output_tokens)
    if not is_place(place) or place >= count:
        raise ValueError(f"the step must be a whole number from 0 to {count - 1}, not {place!r}")
    likeliest = trace.top_k[place]
    candidates = pieces_of(trace, [candidate.token for candidate in likeliest])
    return Step(
        place=place,
        count=count,
        forced=trace.forced,
        seen=tuple(pieces_of(trace, trace.target_tokens[: place + 1])),
        taken=pieces_of(trace, trace.output_tokens)[place],
        log_prob=float(trace.log_probs[place]),
        candidates=tuple(zip(candidates, (candidate.log_prob for candidate in likeliest), strict=True)),
        columns=tuple(pieces_of(trace, trace.source_tokens, trace.source_surfaces)),
        weights=trace.cross[:, :, place],
    )
