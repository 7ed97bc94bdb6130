"""Attention rollout: how much of what each row's state is made of came from each token at the bottom. NumPy only.

Encoder: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020), section 3: a layer's matrix is half
the mean of its heads and half the identity, for the residual connection; the layers' matrices are multiplied.

Decoder, our extension: a decoder state comes from two places, the tokens that went in and the source. Both shares are
carried along: self-attention mixes the rows of both, cross-attention then brings in as much again from the source, by
way of the encoder's rollout. Of a row, the share on tokens that went in and the share on the source add up to 1.

viz/board/data/rollout.js computes the same in the page. L layers, H heads, S source length, T target length.
"""

import numpy as np
from numpy.typing import NDArray

from transformer.trace import Kind, Trace

Shares = NDArray[np.float64]


def rollout(trace: Trace, kind: Kind, layer: int) -> Shares:
    """Shares after `layer`, counted from 0, with the rows and columns of the map of that kind, (Q, K).

    Rows of the encoder add up to 1; a row of the decoder and the same row of cross together do.
    """
    if kind == "encoder_self":
        return _encoder(trace, layer)
    source = _encoder(trace, len(trace.encoder_self) - 1)  # (S, S)
    steps = len(trace.target_tokens)
    from_written, from_source = np.eye(steps), np.zeros((steps, len(source)))  # (T, T), (T, S)
    for own, cross in zip(trace.decoder_self[: layer + 1], trace.cross[: layer + 1], strict=True):
        mixed = _with_residual(own)
        from_written = mixed @ from_written / 2
        from_source = (mixed @ from_source + _mean(cross) @ source) / 2
    return from_source if kind == "cross" else from_written


def _encoder(trace: Trace, layer: int) -> Shares:
    shares = np.eye(len(trace.source_tokens))
    for heads in trace.encoder_self[: layer + 1]:
        shares = _with_residual(heads) @ shares
    return shares


def _with_residual(heads: NDArray[np.float32]) -> Shares:
    """(H, N, N) -> (N, N)."""
    mean = _mean(heads)
    return (mean + np.eye(len(mean))) / 2


def _mean(heads: NDArray[np.float32]) -> Shares:
    """(H, Q, K) -> (Q, K)."""
    return heads.mean(axis=0, dtype=np.float64)
