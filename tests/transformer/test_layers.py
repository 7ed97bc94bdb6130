"""Positions and normalisation against their formulas; layers and stacks against torch's own."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from tests.transformer.conftest import tiny_config, tiny_model
from tests.transformer.reference import close, torch_decoder_layer, torch_encoder_layer, torch_weights
from transformer.attention import Attention
from transformer.layers import FeedForward, Residual, UnbiasedStdNorm, sinusoidal_positions
from transformer.masks import causal_mask

B, S, T, D = 3, 7, 5, 16
SWITCHES = pytest.mark.parametrize(
    ("norm_first", "activation"), [(True, "relu"), (True, "gelu"), (False, "relu"), (False, "gelu")]
)


def batch() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Source and target vectors, padded to unlike lengths, and the masks of both: (B, 1, S) and (B, 1, T)."""
    source_mask = torch.arange(S) < torch.tensor([7, 4, 1]).view(B, 1, 1)
    target_mask = torch.arange(T) < torch.tensor([2, 5, 3]).view(B, 1, 1)
    return torch.randn(B, S, D), torch.randn(B, T, D), source_mask, target_mask


def same_attention(ours: Attention, theirs: Tensor) -> None:
    assert ours.weights.shape == theirs.shape
    close(ours.weights, theirs)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize(("d_model", "base"), [(6, 10_000.0), (16, 100.0)])
def test_positions_follow_the_papers_formula(layout: str, d_model: int, base: float) -> None:
    table = sinusoidal_positions(50, d_model, base, layout)
    for position in range(50):
        for i in range(d_model // 2):
            angle = position / base ** (2 * i / d_model)
            sine, cosine = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, d_model // 2 + i)
            assert table[position, sine].item() == pytest.approx(math.sin(angle), abs=1e-7)
            assert table[position, cosine].item() == pytest.approx(math.cos(angle), abs=1e-7)


def test_positions_in_numbers() -> None:
    table = sinusoidal_positions(3, 4)
    expected = [
        [0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.00999983, 0.99995],
        [0.90929743, -0.41614684, 0.0199986667, 0.9998],
    ]
    assert_close(table, torch.tensor(expected), rtol=0, atol=1e-6)
    halves = sinusoidal_positions(3, 4, layout="halves")
    assert torch.equal(halves, table[:, [0, 2, 1, 3]])


def test_unbiased_std_norm_follows_its_formula() -> None:
    norm = UnbiasedStdNorm(4, epsilon=0.5)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    row = [1.0, 2.0, 4.0, 9.0]
    mean = sum(row) / 4
    std = math.sqrt(sum((value - mean) ** 2 for value in row) / 3)
    expected = [
        scale * (value - mean) / (std + 0.5) + shift
        for value, scale, shift in zip(row, norm.weight.tolist(), norm.bias.tolist(), strict=True)
    ]
    assert_close(norm(torch.tensor([row])), torch.tensor([expected]))


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
def test_feed_forward_is_two_linear_maps_with_the_activation_between(activation: str) -> None:
    layer, x = FeedForward(tiny_config(activation=activation)), torch.randn(2, 3, D)
    bent = {"relu": torch.relu, "gelu": functional.gelu, "silu": lambda v: v * torch.sigmoid(v)}[activation]
    hidden = bent(x @ layer.expand.weight.T + layer.expand.bias)
    assert_close(layer(x), hidden @ layer.contract.weight.T + layer.contract.bias)


@pytest.mark.parametrize("norm_first", [True, False])
def test_residual_normalises_before_or_after_and_drops_only_the_sublayer(norm_first: bool) -> None:
    residual = Residual(tiny_config(norm_first=norm_first, dropout=0.4))
    x, output = torch.randn(2, D), torch.randn(2, D)
    torch.manual_seed(5)
    got = residual.after(x, output)
    torch.manual_seed(5)
    total = x + functional.dropout(output, 0.4)
    assert torch.equal(got, total if norm_first else residual.norm(total))
    assert torch.equal(residual.before(x), residual.norm(x) if norm_first else x)


@SWITCHES
def test_encoder_layers_and_stack_equal_torchs(norm_first: bool, activation: str) -> None:
    model = tiny_model(norm_first=norm_first, activation=activation)
    x, _, mask, _ = batch()
    memory, attentions = model.encoder(x, mask)
    theirs = [torch_encoder_layer(layer, model.config) for layer in model.encoder.layers]  # type: ignore[arg-type]
    assert len(attentions) == len(theirs) == 3
    for ours, layer, attended in zip(model.encoder.layers, theirs, attentions, strict=True):
        read = layer.norm1(x) if norm_first else x
        same_attention(attended, torch_weights(layer.self_attn, read, read, mask.expand(B, S, S)))
        expected = layer(x, src_key_padding_mask=~mask.squeeze(1))
        close(ours(x, mask)[0], expected)
        x = expected
    close(memory, model.encoder.norm(x))


@SWITCHES
def test_decoder_layers_and_stack_equal_torchs(norm_first: bool, activation: str) -> None:
    model = tiny_model(norm_first=norm_first, activation=activation)
    memory, x, memory_mask, target_mask = batch()
    mask = causal_mask(T) & target_mask
    decoded = model.decoder(x, model.decoder.start_cache(memory), mask, memory_mask)
    theirs = [torch_decoder_layer(layer, model.config) for layer in model.decoder.layers]  # type: ignore[arg-type]
    assert len(decoded.attentions) == len(theirs) == 2
    for ours, layer, attended in zip(model.decoder.layers, theirs, decoded.attentions, strict=True):
        read = layer.norm1(x) if norm_first else x
        same_attention(attended.self_attention, torch_weights(layer.self_attn, read, read, mask))
        between = x + layer.self_attn(read, read, read, attn_mask=(~mask).repeat_interleave(4, dim=0))[0]
        between = layer.norm2(between) if norm_first else layer.norm1(between)
        crossed = torch_weights(layer.multihead_attn, between, memory, memory_mask.expand(B, T, S))
        same_attention(attended.cross_attention, crossed)
        expected = layer(
            x,
            memory,
            tgt_mask=~causal_mask(T)[0],
            tgt_key_padding_mask=~target_mask.squeeze(1),
            memory_key_padding_mask=~memory_mask.squeeze(1),
        )
        close(ours(x, ours.start_cache(memory), mask, memory_mask)[0], expected)  # type: ignore[operator]
        x = expected
    close(decoded.states, model.decoder.norm(x))


@pytest.mark.parametrize("norm_first", [True, False])
def test_whole_stacks_equal_torchs_modules(norm_first: bool) -> None:
    model = tiny_model(norm_first=norm_first)
    source, target, source_mask, target_mask = batch()
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 4), 1, model.encoder.norm, enable_nested_tensor=False)
    encoder.layers = nn.ModuleList(torch_encoder_layer(layer, model.config) for layer in model.encoder.layers)  # type: ignore[arg-type]
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, 4), 1, model.decoder.norm)
    decoder.layers = nn.ModuleList(torch_decoder_layer(layer, model.config) for layer in model.decoder.layers)  # type: ignore[arg-type]
    encoder.num_layers, decoder.num_layers = 3, 2
    memory = encoder(source, src_key_padding_mask=~source_mask.squeeze(1))
    close(model.encoder(source, source_mask)[0], memory)
    states = decoder(
        target,
        memory,
        tgt_mask=~causal_mask(T)[0],
        tgt_key_padding_mask=~target_mask.squeeze(1),
        memory_key_padding_mask=~source_mask.squeeze(1),
    )
    ours = model.decoder(target, model.decoder.start_cache(memory), causal_mask(T) & target_mask, source_mask)
    close(ours.states, states)
