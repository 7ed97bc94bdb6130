"""The parts of a layer: positions, normalisation, feed-forward, and the encoder and decoder layers (section 3).

B batch, S source length, T target length, D d_model.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from transformer.attention import Attention, Edit, MultiHeadAttention
from transformer.config import ModelConfig


def sinusoidal_positions(length: int, d_model: int, base: float = 10_000.0, layout: str = "interleaved") -> Tensor:
    """The table of section 3.5, (length, d_model): PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos.

    Computed in float64, returned as float32. layout "halves" puts all sines before all cosines.
    """
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)  # (length, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # (D / 2): 2i
    angle = position / base ** (even / d_model)  # (length, D / 2)
    if layout == "halves":
        table = torch.cat([angle.sin(), angle.cos()], dim=1)
    else:
        table = torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)
    return table.float()  # (length, D)


class UnbiasedStdNorm(nn.Module):
    """scale * (x - mean) / (std + epsilon) + shift, std with n - 1: the normalisation of many teaching codes."""

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        return self.weight * centred / (x.std(dim=-1, keepdim=True) + self.epsilon) + self.bias


def layer_norm(config: ModelConfig) -> nn.Module:
    if config.norm_kind == "unbiased_std":
        return UnbiasedStdNorm(config.d_model, config.norm_epsilon)
    return nn.LayerNorm(config.d_model, eps=config.norm_epsilon)


class FeedForward(nn.Module):
    """Two linear maps with an activation between them, the same at every position (section 3.3)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.feed_forward_dropout)
        self.activation: Callable[[Tensor], Tensor] = getattr(functional, config.activation)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.expand(x))
        return self.contract(self.dropout(hidden) if self.training else hidden)


class Residual(nn.Module):
    """One sublayer's residual sum and normalisation: norm(x + sublayer(x)), or x + sublayer(norm(x))."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = layer_norm(config)
        self.dropout = nn.Dropout(config.dropout)
        self.norm_first = config.norm_first

    def before(self, x: Tensor) -> Tensor:
        """What the sublayer reads."""
        return self.norm(x) if self.norm_first else x

    def after(self, x: Tensor, output: Tensor) -> Tensor:
        """The sum of what came in and what the sublayer gave."""
        total = x + (self.dropout(output) if self.training else output)
        return total if self.norm_first else self.norm(total)


def _multi_head(config: ModelConfig) -> MultiHeadAttention:
    return MultiHeadAttention(config.d_model, config.num_heads, config.attention_bias, config.attention_dropout)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (section 3.1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = _multi_head(config)
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)

    def forward(self, x: Tensor, mask: Tensor | None, edit: Edit | None = None) -> tuple[Tensor, Attention]:
        """x (B, S, D), mask (B, 1, S) -> the same shape, and what the self-attention did."""
        read = self.self_residual.before(x)
        attended = self.self_attention(read, read, mask, edit)
        x = self.self_residual.after(x, attended.output)
        x = self.feed_forward_residual.after(x, self.feed_forward(self.feed_forward_residual.before(x)))
        return x, attended


class LayerCache:
    """Keys and values of one decoder layer: its own past, which grows, and the memory's, which stay."""

    def __init__(self, memory_keys: Tensor, memory_values: Tensor) -> None:
        self.memory = (memory_keys, memory_values)  # each (B, H, S, d_k)
        self.past: tuple[Tensor, Tensor] | None = None  # each (B, H, t, d_k)

    def extend(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append the keys and values of new positions; return those of all positions so far."""
        if self.past is not None:
            keys = torch.cat([self.past[0], keys], dim=2)  # (B, H, t + new, d_k)
            values = torch.cat([self.past[1], values], dim=2)
        self.past = (keys, values)
        return self.past

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order: beams that survive, sentences that are not finished."""
        self.memory = (self.memory[0].index_select(0, rows), self.memory[1].index_select(0, rows))
        if self.past is not None:
            self.past = (self.past[0].index_select(0, rows), self.past[1].index_select(0, rows))


class DecoderAttention(NamedTuple):
    """What the two attentions of a decoder layer did."""

    self_attention: Attention
    cross_attention: Attention


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's memory, then feed-forward (section 3.1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = _multi_head(config)
        self.self_residual = Residual(config)
        self.cross_attention = _multi_head(config)
        self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)

    def start_cache(self, memory: Tensor) -> LayerCache:
        """memory (B, S, D) -> a cache that holds its keys and values and no past."""
        return LayerCache(*self.cross_attention.keys_values(memory))

    def forward(
        self,
        x: Tensor,
        cache: LayerCache,
        mask: Tensor | None,
        memory_mask: Tensor | None,
        self_edit: Edit | None = None,
        cross_edit: Edit | None = None,
    ) -> tuple[Tensor, DecoderAttention]:
        """x (B, T, D): the positions that follow the cache's past; mask (1 or B, T, past + T) and (B, 1, S)."""
        read = self.self_residual.before(x)
        keys, values = cache.extend(*self.self_attention.keys_values(read))
        attended = self.self_attention.attend(read, keys, values, mask, self_edit)
        x = self.self_residual.after(x, attended.output)
        crossed = self.cross_attention.attend(self.cross_residual.before(x), *cache.memory, memory_mask, cross_edit)
        x = self.cross_residual.after(x, crossed.output)
        x = self.feed_forward_residual.after(x, self.feed_forward(self.feed_forward_residual.before(x)))
        return x, DecoderAttention(attended, crossed)
