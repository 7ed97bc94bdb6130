"""Encoder, Decoder and Transformer (section 3).

B batch, S source length, T target length, D d_model, V target vocabulary.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from torch import Tensor, nn

from transformer.attention import Attention, Edit
from transformer.config import ModelConfig
from transformer.layers import (
    DecoderAttention,
    DecoderLayer,
    EncoderLayer,
    LayerCache,
    layer_norm,
    sinusoidal_positions,
)
from transformer.masks import decoder_mask, padding_mask
from transformer.trace import Kind

Cache = list[LayerCache]
#: What to do to the weights of a map's layer, counted from 0; layers that are not named do as they learned.
Edits = Mapping[tuple[Kind, int], Edit]
NO_EDITS: Edits = MappingProxyType({})


class Encoded(NamedTuple):
    """The encoder's output, the mask of its padding, and what every layer's self-attention did."""

    memory: Tensor  # (B, S, D)
    mask: Tensor  # (B, 1, S)
    attentions: list[Attention]


class Decoded(NamedTuple):
    """The decoder's output and what every layer's two attentions did."""

    states: Tensor  # (B, T, D)
    attentions: list[DecoderAttention]


class InputEmbedding(nn.Module):
    """Token embedding plus position, then dropout (sections 3.4 and 3.5)."""

    positions: Tensor

    def __init__(self, tokens: nn.Embedding, config: ModelConfig) -> None:
        super().__init__()
        self.tokens = tokens
        self.scale = math.sqrt(config.d_model) if config.scale_embeddings else 1.0
        self.dropout = nn.Dropout(config.dropout)
        table = sinusoidal_positions(config.max_length, config.d_model, layout=config.position_layout)
        self.register_buffer("positions", table, persistent=False)  # (max_length, D)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """ids (B, N), the first at position `start` -> (B, N, D). Raises ValueError past max_length."""
        end = start + ids.size(1)
        if end > self.positions.size(0):
            raise ValueError(f"{end} tokens are more than this model's max_length, {self.positions.size(0)}")
        return self.dropout(self.tokens(ids) * self.scale + self.positions[start:end])


class Encoder(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_encoder_layers))
        self.norm = layer_norm(config) if config.final_norm else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None, edits: Edits = NO_EDITS) -> tuple[Tensor, list[Attention]]:
        """x (B, S, D), mask (B, 1, S) -> memory (B, S, D) and one Attention a layer."""
        attentions = []
        for number, layer in enumerate(self.layers):
            x, attended = layer(x, mask, edits.get(("encoder_self", number)))
            attentions.append(attended)
        return self.norm(x), attentions


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_decoder_layers))
        self.norm = layer_norm(config) if config.final_norm else nn.Identity()

    def start_cache(self, memory: Tensor) -> Cache:
        return [layer.start_cache(memory) for layer in self.layers]  # type: ignore[operator]

    def forward(
        self, x: Tensor, cache: Cache, mask: Tensor | None, memory_mask: Tensor | None, edits: Edits = NO_EDITS
    ) -> Decoded:
        """x (B, T, D) follows the cache's past, which it extends; masks as in DecoderLayer."""
        attentions = []
        for number, (layer, layer_cache) in enumerate(zip(self.layers, cache, strict=True)):
            own, crossed = edits.get(("decoder_self", number)), edits.get(("cross", number))
            x, attended = layer(x, layer_cache, mask, memory_mask, own, crossed)
            attentions.append(attended)
        return Decoded(self.norm(x), attentions)


class Transformer(nn.Module):
    """The encoder-decoder of figure 1, from token ids to logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        source = nn.Embedding(config.source_vocab_size, config.d_model)
        target = source if config.share_embeddings else nn.Embedding(config.target_vocab_size, config.d_model)
        self.source_embedding = InputEmbedding(source, config)
        self.target_embedding = InputEmbedding(target, config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.projection = nn.Linear(config.d_model, config.target_vocab_size, bias=config.output_bias)
        _initialize(self, config)
        if config.tie_output:
            self.projection.weight = target.weight

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, S) and target (B, T) ids, padded at the end -> logits (B, T, V) for what follows each target."""
        encoded = self.encode(source)
        return self.projection(self.decode(target, encoded).states)

    def encode(self, source: Tensor, edits: Edits = NO_EDITS) -> Encoded:
        """source (B, S) ids."""
        mask = padding_mask(source, self.config.padding_id)  # (B, 1, S)
        memory, attentions = self.encoder(self.source_embedding(source), mask, edits)
        return Encoded(memory, mask, attentions)

    def decode(self, target: Tensor, encoded: Encoded, edits: Edits = NO_EDITS) -> Decoded:
        """target (B, T) ids, all positions at once."""
        cache = self.decoder.start_cache(encoded.memory)
        mask = decoder_mask(target, self.config.padding_id)  # (B, T, T)
        return self.decoder(self.target_embedding(target), cache, mask, encoded.mask, edits)

    def decode_next(self, ids: Tensor, position: int, cache: Cache, memory_mask: Tensor | None) -> Tensor:
        """ids (B), all at `position`, right behind the cache's past -> logits (B, V). No mask: all past is allowed."""
        x = self.target_embedding(ids.unsqueeze(1), position)  # (B, 1, D)
        return self.projection(self.decoder(x, cache, None, memory_mask).states[:, 0])

    def num_parameters(self) -> int:
        """Learned numbers, shared ones counted once."""
        return sum(parameter.numel() for parameter in self.parameters())


def _initialize(model: Transformer, config: ModelConfig) -> None:
    for module in model.modules():
        if isinstance(module, nn.Linear):
            if config.initialization == "normal":
                nn.init.normal_(module.weight, std=0.02)
            else:
                nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            std = 0.02 if config.initialization == "normal" else config.d_model**-0.5
            nn.init.normal_(module.weight, std=std)
