"""Torch's own modules with the weights of ours: what the model is measured against. Torch masks mean: forbidden.

All run in train mode with dropout 0, where torch takes no shortcuts and fills no padded position with zeros.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.testing import assert_close

from transformer.attention import MultiHeadAttention
from transformer.config import ModelConfig
from transformer.layers import DecoderLayer, EncoderLayer

close = partial(assert_close, rtol=0.0, atol=1e-5)


def torch_attention(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    projections = (ours.query, ours.key, ours.value)
    biased = ours.query.bias is not None
    theirs = nn.MultiheadAttention(ours.query.in_features, ours.num_heads, bias=biased, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
        theirs.out_proj.weight.copy_(ours.output.weight)
        if biased:
            theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in projections]))
            theirs.out_proj.bias.copy_(ours.output.bias)
    return theirs


def torch_encoder_layer(ours: EncoderLayer, config: ModelConfig) -> nn.TransformerEncoderLayer:
    theirs = nn.TransformerEncoderLayer(**_shape(config))
    theirs.self_attn = torch_attention(ours.self_attention)
    _copy(theirs, ours, [ours.self_residual.norm, ours.feed_forward_residual.norm])
    return theirs


def torch_decoder_layer(ours: DecoderLayer, config: ModelConfig) -> nn.TransformerDecoderLayer:
    theirs = nn.TransformerDecoderLayer(**_shape(config))
    theirs.self_attn = torch_attention(ours.self_attention)
    theirs.multihead_attn = torch_attention(ours.cross_attention)
    _copy(theirs, ours, [ours.self_residual.norm, ours.cross_residual.norm, ours.feed_forward_residual.norm])
    return theirs


def torch_weights(theirs: nn.MultiheadAttention, query: Tensor, memory: Tensor, allowed: Tensor) -> Tensor:
    """(B, H, Q, K) weights that torch's module gives every head; allowed (B, Q, K) is a mask of ours."""
    forbidden = (~allowed).repeat_interleave(theirs.num_heads, dim=0)  # (B H, Q, K)
    return theirs(query, memory, memory, attn_mask=forbidden, average_attn_weights=False)[1]


def _shape(config: ModelConfig) -> dict[str, Any]:
    return {
        "d_model": config.d_model,
        "nhead": config.num_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,
        "activation": config.activation,
        "layer_norm_eps": config.norm_epsilon,
        "batch_first": True,
        "norm_first": config.norm_first,
    }


def _copy(theirs: nn.Module, ours: EncoderLayer | DecoderLayer, norms: list[nn.Module]) -> None:
    theirs.get_submodule("linear1").load_state_dict(ours.feed_forward.expand.state_dict())
    theirs.get_submodule("linear2").load_state_dict(ours.feed_forward.contract.state_dict())
    for number, norm in enumerate(norms, start=1):
        theirs.get_submodule(f"norm{number}").load_state_dict(norm.state_dict())
