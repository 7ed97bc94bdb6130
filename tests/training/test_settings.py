import json
from typing import Any

import pytest

from tests.training.conftest import tiny_settings
from transformer.training.settings import TrainingSettings


def test_json_gives_the_same_settings_back() -> None:
    settings = tiny_settings(columns=("de", "pt"), noise=0.5, init_from="some/folder")
    assert TrainingSettings.from_json(settings.to_json()) == settings


def test_a_file_without_newer_fields_means_their_defaults() -> None:
    """The shipped training.json was written before precision and init_from were settings: it ran in bf16."""
    values = json.loads(tiny_settings(precision="fp32").to_json())
    for name in ("precision", "init_from", "alignment"):
        del values[name]
    read = TrainingSettings.from_json(json.dumps(values))
    assert (read.precision, read.init_from, read.alignment) == ("bf16", None, 0.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("steps", 2.5),
        ("seed", True),
        ("batch_tokens", 0),
        ("learning_rate", 0.0),
        ("warmup_steps", -1),
        ("weight_decay", -0.1),
        ("label_smoothing", 1.0),
        ("noise", 1.2),
        ("joined", -0.1),
        ("sampled", float("nan")),
        ("validate_every", 0),
        ("precision", "fp8"),
        ("columns", ("en", "en")),
        ("columns", ("en", "e s")),
        ("columns", ("en", "es", "fr")),
    ],
)
def test_impossible_values_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"TrainingSettings\.{name} "):
        tiny_settings(**{name: value})


def test_unknown_fields_and_other_json_are_refused() -> None:
    values = json.loads(tiny_settings().to_json())
    with pytest.raises(ValueError, match="momentum is unknown"):
        TrainingSettings.from_json(json.dumps(values | {"momentum": 0.9}))
    with pytest.raises(ValueError, match="JSON object"):
        TrainingSettings.from_json("[]")
    del values["model"]["d_ff"]
    with pytest.raises(ValueError, match=r"ModelConfig\.d_ff is missing"):
        TrainingSettings.from_json(json.dumps(values))


def test_the_aligned_head_is_in_the_last_layer_or_in_the_named_one() -> None:
    assert tiny_settings(alignment=0.0).aligned_head is None
    assert tiny_settings(num_decoder_layers=3, alignment=0.5).aligned_head == (2, 0)
    assert tiny_settings(num_decoder_layers=3, alignment=0.5, aligned_layer=2).aligned_head == (1, 0)
    with pytest.raises(ValueError, match="aligned_layer must be at most 3"):
        tiny_settings(num_decoder_layers=3, aligned_layer=4)


def test_a_run_may_change_the_dropout_of_what_it_starts_from_but_not_its_size() -> None:
    assert tiny_settings(dropout=0.3, started_from=tiny_settings()).started_from == tiny_settings()
    with pytest.raises(ValueError, match="must have the same model but for dropout"):
        tiny_settings(num_decoder_layers=3, started_from=tiny_settings())
