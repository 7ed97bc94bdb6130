"""The whole Transformer: how many parameters it has, and that every switch of ModelConfig does what it says."""

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tests.transformer.conftest import tiny_config, tiny_model
from transformer.config import PRESETS, ModelConfig
from transformer.layers import UnbiasedStdNorm, sinusoidal_positions
from transformer.masks import pad
from transformer.model import Transformer

SOURCE = pad([[4, 10, 11, 12, 3], [4, 20, 3]], 0)
TARGET = pad([[2, 30, 31, 32], [2, 40]], 0)


def formula(config: ModelConfig) -> int:
    """Learned numbers, counted from the paper's sizes."""
    d, vocabularies = config.d_model, 1 if config.share_embeddings else 2
    embeddings = vocabularies * config.target_vocab_size * d
    projection = (
        0 if config.tie_output else config.target_vocab_size * d
    ) + config.output_bias * config.target_vocab_size
    attention = 4 * d * d + config.attention_bias * 4 * d
    feed_forward = 2 * d * config.d_ff + config.d_ff + d
    norm = 2 * d
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    layers = config.num_encoder_layers * encoder_layer + config.num_decoder_layers * decoder_layer
    return embeddings + projection + layers + config.final_norm * 2 * norm


def test_the_base_model_has_63_million_parameters() -> None:
    with torch.device("meta"):
        model = Transformer(PRESETS["base"])
    assert formula(PRESETS["base"]) == model.num_parameters() == 63_082_496


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"attention_bias": False},
        {"share_embeddings": False},
        {"share_embeddings": False, "tie_output": True},
        {"tie_output": True},
        {"output_bias": False},
        {"final_norm": False},
        {"num_encoder_layers": 1, "num_decoder_layers": 4},
        {"d_ff": 100},
    ],
)
def test_every_part_that_a_switch_adds_is_counted(changes: dict[str, Any]) -> None:
    config = tiny_config(**changes)
    assert Transformer(config).num_parameters() == formula(config)


def test_a_shared_embedding_is_one_matrix_and_a_tied_output_the_same() -> None:
    model = Transformer(tiny_config(share_embeddings=True, tie_output=True)).eval()
    matrix = model.source_embedding.tokens.weight
    assert model.target_embedding.tokens.weight is matrix
    assert model.projection.weight is matrix
    with torch.no_grad():
        matrix[7] = 3.0
    assert_close(model.target_embedding(torch.tensor([[7]]))[0, 0], 3.0 * 4 + model.target_embedding.positions[0])
    states = torch.ones(1, 16)
    assert_close((model.projection(states) - model.projection.bias)[0, 7], torch.tensor(48.0))


def test_unshared_embeddings_are_two_and_the_output_ties_with_the_targets() -> None:
    model = Transformer(tiny_config(share_embeddings=False, tie_output=True, source_vocab_size=90))
    assert model.source_embedding.tokens.weight.shape == (90, 16)
    assert model.projection.weight is model.target_embedding.tokens.weight
    apart = Transformer(tiny_config(share_embeddings=False, tie_output=False))
    assert len({id(w) for w in (apart.source_embedding.tokens.weight, apart.projection.weight)}) == 2
    assert apart.projection.weight is not apart.target_embedding.tokens.weight


@pytest.mark.parametrize(("scale_embeddings", "factor"), [(True, 4.0), (False, 1.0)])
@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_what_goes_in_is_the_scaled_embedding_plus_the_position(
    scale_embeddings: bool, factor: float, layout: str
) -> None:
    model = tiny_model(scale_embeddings=scale_embeddings, position_layout=layout)
    table = sinusoidal_positions(40, 16, layout=layout)
    tokens = model.source_embedding.tokens.weight[[10, 11]]
    assert_close(model.source_embedding(torch.tensor([[10, 11]]))[0], tokens * factor + table[:2])
    assert_close(model.source_embedding(torch.tensor([[10, 11]]), 5)[0], tokens * factor + table[5:7])


def test_max_length_bounds_source_and_target() -> None:
    model = tiny_model()
    full = torch.full((1, 40), 9)
    assert model(full, full).shape == (1, 40, 200)
    longer = torch.full((1, 41), 9)
    for source, target in ((longer, full), (full, longer)):
        with pytest.raises(ValueError, match="41 tokens are more than this model's max_length, 40"):
            model(source, target)


def test_final_norm_normalises_what_each_stack_gives() -> None:
    for final_norm in (True, False):
        model = Transformer(tiny_config(final_norm=final_norm)).eval()
        encoded = model.encode(SOURCE[:1])
        decoded = model.decode(TARGET[:1], encoded)
        for states in (encoded.memory, decoded.states):
            spread = states.var(-1, correction=0)
            assert torch.allclose(spread, torch.ones_like(spread), atol=1e-2) == final_norm


def test_norm_kind_and_epsilon_reach_every_normalisation() -> None:
    ours = Transformer(tiny_config(norm_kind="unbiased_std", norm_epsilon=0.25))
    found = [module for module in ours.modules() if isinstance(module, UnbiasedStdNorm)]
    assert [norm.epsilon for norm in found] == [0.25] * (3 * 2 + 2 * 3 + 2)
    assert not any(isinstance(module, nn.LayerNorm) for module in ours.modules())
    torchs = Transformer(tiny_config(norm_kind="torch", norm_epsilon=0.25))
    assert [m.eps for m in torchs.modules() if isinstance(m, nn.LayerNorm)] == [0.25] * (3 * 2 + 2 * 3 + 2)


@pytest.mark.parametrize(
    ("field", "places"),
    [("dropout", 2 + 3 * 2 + 2 * 3), ("attention_dropout", 3 + 2 * 2), ("feed_forward_dropout", 3 + 2)],
)
def test_each_dropout_sits_in_its_places_and_works_in_training_only(field: str, places: int) -> None:
    rates: dict[str, Any] = {"dropout": 0.0, "attention_dropout": 0.0, "feed_forward_dropout": 0.0} | {field: 0.5}
    model = tiny_model(**rates)
    assert [m.p for m in model.modules() if isinstance(m, nn.Dropout)].count(0.5) == places
    still = model(SOURCE, TARGET)
    assert torch.equal(model(SOURCE, TARGET), still)
    assert_close(still, tiny_model(dropout=0.0)(SOURCE, TARGET))
    model.train()
    assert not torch.allclose(model(SOURCE, TARGET), model(SOURCE, TARGET), atol=1e-3)


def test_embedding_dropout_zeroes_and_rescales() -> None:
    model = Transformer(tiny_config(dropout=0.5)).train()
    x = model.source_embedding(torch.full((1, 40), 9))
    model.eval()
    plain = model.source_embedding(torch.full((1, 40), 9))
    kept = x != 0
    assert 0.3 < kept.float().mean() < 0.7
    assert_close(x[kept], 2 * plain[kept])


def test_weights_recorded_in_training_are_those_before_dropout() -> None:
    model = tiny_model(attention_dropout=0.5).train()
    weights = model.encode(SOURCE).attentions[0].weights
    assert_close(weights.sum(-1), torch.ones(2, 4, 5))


def test_initialization_xavier() -> None:
    model = Transformer(tiny_config(d_model=64, d_ff=192, initialization="xavier_uniform"))
    expand = model.encoder.layers[0].get_submodule("feed_forward.expand")
    assert isinstance(expand, nn.Linear)
    bound = math.sqrt(6 / (64 + 192))
    assert 0.98 * bound < expand.weight.abs().max() <= bound
    assert expand.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    assert not expand.bias.any()
    assert model.source_embedding.tokens.weight.std().item() == pytest.approx(64**-0.5, rel=0.05)


def test_initialization_normal() -> None:
    model = Transformer(tiny_config(d_model=64, d_ff=192, initialization="normal"))
    for name in (
        "encoder.layers.0.feed_forward.expand",
        "decoder.layers.1.cross_attention.key",
        "target_embedding.tokens",
    ):
        weight = model.get_submodule(name).weight
        assert isinstance(weight, torch.Tensor)
        assert weight.std().item() == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize(
    "changes",
    [{"norm_first": False}, {"activation": "gelu"}, {"activation": "silu"}, {"position_layout": "halves"}],
)
def test_switches_without_parameters_change_the_output(changes: dict[str, Any]) -> None:
    """The same weights, since the same seed draws the same numbers: only the computation differs."""
    plain, changed = tiny_model(), tiny_model(**changes)
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), changed.parameters(), strict=True))
    assert (plain(SOURCE, TARGET) - changed(SOURCE, TARGET)).abs().max() > 1e-2


def test_padding_changes_nothing_for_the_tokens_that_are_there() -> None:
    model = tiny_model()
    together = model(SOURCE, TARGET)
    assert_close(model(SOURCE[1:, :3], TARGET[1:, :2])[0], together[1, :2], rtol=0, atol=1e-5)


def test_any_id_can_be_the_padding() -> None:
    model = tiny_model(padding_id=9)
    padded, alone = torch.tensor([[4, 10, 3, 9, 9]]), torch.tensor([[4, 10, 3]])
    target = torch.tensor([[2, 30]])
    assert_close(model(padded, target), model(alone, target), rtol=0, atol=1e-5)


def test_a_token_sees_nothing_of_what_follows_it() -> None:
    model = tiny_model()
    other = TARGET[:1].clone()
    other[0, 2:] = 99
    assert_close(model(SOURCE[:1], TARGET[:1])[0, :2], model(SOURCE[:1], other)[0, :2])
