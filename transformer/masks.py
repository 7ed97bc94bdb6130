"""Padding, and who may attend to whom. In every mask of this project, True means: may attend.

B batch, N the longest sequence, K keys, T target length.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def pad(sequences: Sequence[Sequence[int]], padding_id: int, device: torch.device | None = None) -> Tensor:
    """Sequences of ids -> (B, N), each filled up at its end with padding_id."""
    longest = max(len(sequence) for sequence in sequences)
    rows = [[*sequence, *[padding_id] * (longest - len(sequence))] for sequence in sequences]
    return torch.tensor(rows, device=device)  # (B, N)


def padding_mask(ids: Tensor, padding_id: int) -> Tensor:
    """(B, K) token ids -> (B, 1, K): every query may look at every key that is not padding."""
    return (ids != padding_id).unsqueeze(1)  # (B, 1, K)


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """(1, T, T), lower triangle True: position t may look at itself and at what came before (section 3.2.3)."""
    return torch.ones(1, length, length, dtype=torch.bool, device=device).tril()  # (1, T, T)


def decoder_mask(target: Tensor, padding_id: int) -> Tensor:
    """(B, T) ids -> (B, T, T): what came before, and no padding. What the decoder's self-attention uses."""
    return causal_mask(target.size(1), target.device) & padding_mask(target, padding_id)  # (B, T, T)
