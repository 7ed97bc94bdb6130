"""Names of files tell what is in them."""

from typing import Any

import pytest

from tests.viz.small import small_step
from viz.file_names import sentence_name, step_name, view_name
from viz.view import Selection


@pytest.mark.parametrize(
    ("selected", "name"),
    [
        ({}, "headlight-cross-layer3-head1"),
        ({"map": "decoder_self", "head": 4}, "headlight-decoder-self-layer3-head5"),
        ({"merge": "layer_mean"}, "headlight-cross-layer3-mean"),
        ({"merge": "all_max"}, "headlight-cross-all-layers-max"),
        ({"merge": "rollout"}, "headlight-cross-layer3-rollout"),
        ({"view": "lines", "units": "words"}, "headlight-cross-layer3-head1-lines-words"),
        ({"view": "lines", "head": 3, "lines": (0, 3, 5)}, "headlight-cross-layer3-heads4-1-6-lines"),
        ({"lines": (1, 2)}, "headlight-cross-layer3-head1"),
        ({"merge": "layer_max", "view": "lines", "lines": (1,)}, "headlight-cross-layer3-max-lines"),
        ({"special": "hidden", "scale": "stretched"}, "headlight-cross-layer3-head1-no-specials-stretched"),
    ],
)
def test_a_view_s_name_tells_it(selected: dict[str, Any], name: str) -> None:
    assert view_name(Selection(**{"map": "cross", "layer": 2, **selected})) == name


def test_all_heads_have_no_layer_and_no_view() -> None:
    selection = Selection("cross", 2, merge="rollout", view="lines", units="words")
    assert view_name(selection, "all-heads") == "headlight-cross-all-heads-words"


def test_steps_count_from_1() -> None:
    assert step_name(small_step(2)) == "headlight-step3"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("¿Dónde está la biblioteca?", "-donde-esta-la-biblioteca"),
        ("../../etc/passwd\0", "-etc-passwd"),
        ("漢字", ""),
        ("uno dos tres cuatro cinco seis siete ocho nueve", "-uno-dos-tres-cuatro-cinco-seis-siete"),
        ("a" * 100, ""),
    ],
)
def test_a_sentence_s_name_is_plain_letters(text: str, name: str) -> None:
    assert sentence_name(text) == name
