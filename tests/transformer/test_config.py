"""ModelConfig: what it refuses, what it writes and reads."""

import dataclasses
import json
import math

import pytest

from tests.transformer.conftest import tiny_config
from transformer.config import PRESETS, ModelConfig

IMPOSSIBLE = [
    ("source_vocab_size", 0),
    ("target_vocab_size", 0),
    ("padding_id", -1),
    ("padding_id", 200),
    ("d_model", 0),
    ("d_model", 15),
    ("num_heads", 0),
    ("num_heads", 3),
    ("num_encoder_layers", 0),
    ("num_decoder_layers", 0),
    ("d_ff", 0),
    ("max_length", 1),
    ("dropout", 1.0),
    ("dropout", -0.1),
    ("attention_dropout", 1.0),
    ("feed_forward_dropout", 1.5),
    ("dropout", math.nan),
    ("norm_epsilon", 0.0),
    ("norm_epsilon", -1e-5),
    ("norm_epsilon", math.inf),
    ("norm_kind", "batch"),
    ("activation", "tanh"),
    ("position_layout", "learned"),
    ("initialization", "zeros"),
    ("d_model", "16"),
    ("d_model", 16.0),
    ("num_heads", True),
    ("norm_first", 1),
    ("dropout", "0.1"),
    ("activation", None),
]


@pytest.mark.parametrize(("field", "value"), IMPOSSIBLE)
def test_a_value_that_cannot_work_is_refused_by_the_fields_name(field: str, value: object) -> None:
    # Odd d_model divides by one head only: the two rules are told apart.
    heads = {"num_heads": 1} if (field, value) == ("d_model", 15) else {}
    with pytest.raises(ValueError, match=rf"^ModelConfig\.{field} "):
        tiny_config(**{field: value}, **heads)


def test_one_embedding_needs_one_vocabulary() -> None:
    with pytest.raises(ValueError, match=r"^ModelConfig\.share_embeddings needs one vocabulary size, not 200 and 300"):
        tiny_config(target_vocab_size=300, share_embeddings=True)
    assert tiny_config(target_vocab_size=300, share_embeddings=False).target_vocab_size == 300


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        tiny_config().d_model = 32  # type: ignore[misc]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_json_gives_back_every_field(name: str) -> None:
    config = PRESETS[name]
    assert ModelConfig.from_json(config.to_json()) == config
    assert set(json.loads(config.to_json())) == {field.name for field in dataclasses.fields(ModelConfig)}


def test_json_keeps_what_is_not_the_default() -> None:
    config = tiny_config(norm_kind="unbiased_std", norm_epsilon=1e-3, activation="gelu", position_layout="halves")
    assert ModelConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d_modle": 16}, "d_modle is unknown"),
        ({"d_model": None}, "d_model must be int"),
        ({"activation": "tanh"}, "activation must be one of"),
    ],
)
def test_json_with_wrong_fields_is_refused(change: dict[str, object], message: str) -> None:
    values = json.loads(tiny_config().to_json()) | change
    with pytest.raises(ValueError, match=message):
        ModelConfig.from_json(json.dumps(values))


def test_json_without_a_field_is_refused() -> None:
    values = json.loads(tiny_config().to_json())
    del values["num_heads"]
    with pytest.raises(ValueError, match=r"ModelConfig\.num_heads is missing"):
        ModelConfig.from_json(json.dumps(values))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"config"'])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|a model config is a JSON object"):
        ModelConfig.from_json(text)


def test_presets_are_those_of_table_3() -> None:
    shape = ("num_encoder_layers", "num_decoder_layers", "d_model", "d_ff", "num_heads", "d_k", "dropout")
    assert [getattr(PRESETS["base"], name) for name in shape] == [6, 6, 512, 2048, 8, 64, 0.1]
    assert [getattr(PRESETS["big"], name) for name in shape] == [6, 6, 1024, 4096, 16, 64, 0.3]
