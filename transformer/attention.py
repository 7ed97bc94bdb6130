"""Scaled dot-product attention and multi-head attention (section 3.2).

B batch, Q queries, K keys, H heads, D d_model, d_k = D / H. ``...`` stands for any leading dimensions.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

#: What to use in place of the weights that softmax gave, (..., Q, K) -> the same shape: weights known from elsewhere,
#: or these with a head's set to 0.
Edit = Callable[[Tensor], Tensor]


class Attention(NamedTuple):
    """What one attention did. ``weights`` are those used, before dropout; ``scores`` are those before the mask."""

    output: Tensor  # (..., Q, d_k); after multi-head attention (B, Q, D)
    weights: Tensor  # (..., Q, K)
    scores: Tensor  # (..., Q, K)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: nn.Module | None = None,
    edit: Edit | None = None,
) -> Attention:
    """softmax(Q K^T / sqrt(d_k)) V, equation (1).

    query (..., Q, d_k), key and value (..., K, d_k); mask broadcasts to (..., Q, K), True = may attend.
    Forbidden weights are exactly 0. A query that may attend to nothing gets zeros, not NaN. `edit` has the last word:
    what it gives is used and returned, whatever the mask says.
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., Q, K)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    if edit is not None:
        weights = edit(weights)
    used = weights if dropout is None else dropout(weights)
    return Attention(used.to(value.dtype) @ value, weights, scores)


class MultiHeadAttention(nn.Module):
    """H attentions side by side, each in its own d_k dimensions, then one linear map (section 3.2.2)."""

    def __init__(self, d_model: int, num_heads: int, bias: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor | None = None, edit: Edit | None = None) -> Attention:
        """query (B, Q, D) attends to memory (B, K, D); mask (B or 1, Q or 1, K), True = may attend.

        edit: (B, H, Q, K) -> (B, H, Q, K).
        """
        return self.attend(query, *self.keys_values(memory), mask, edit)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """(B, K, D) -> keys and values, each (B, H, K, d_k): what a cache keeps."""
        return self._split(self.key(memory)), self._split(self.value(memory))

    def attend(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, edit: Edit | None = None
    ) -> Attention:
        """query (B, Q, D), keys and values (B, H, K, d_k) as `keys_values` gives them."""
        heads_mask = None if mask is None else mask.unsqueeze(1)  # (B or 1, 1, Q or 1, K)
        dropout = self.dropout if self.training else None
        heads, weights, scores = attention(self._split(self.query(query)), keys, values, heads_mask, dropout, edit)
        return Attention(self.output(self._join(heads)), weights, scores)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, -1).transpose(1, 2)  # (B, N, D) -> (B, H, N, d_k)

    def _join(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)  # (B, H, N, d_k) -> (B, N, D)
