"""Views of the small trace, worked out by hand."""

from typing import Any

import numpy as np
import pytest

from tests.viz.small import CAME_OUT, CROSS, SOURCE, WENT_IN, small_trace
from tests.viz.small import small_view as view
from viz.rollout import rollout
from viz.view import Piece, Selection, View


def tokens(pieces: tuple[Piece, ...] | None) -> list[str]:
    return [piece.token for piece in pieces or ()]


def assert_weights(shown: View, expected: Any) -> None:
    assert shown.weights.dtype == np.float32
    np.testing.assert_allclose(shown.weights, expected, atol=1e-6)


def test_a_head_is_the_trace_s_own_with_its_tokens() -> None:
    shown = view(layer=1, head=0)
    assert_weights(shown, CROSS[1])
    assert tokens(shown.rows) == list(WENT_IN)
    assert tokens(shown.columns) == list(SOURCE)
    assert tokens(shown.outputs) == list(CAME_OUT)
    assert shown.mask.all()
    assert shown.hidden_share is None
    assert not shown.blank.any()
    assert shown.scale == 1


def test_the_encoder_writes_nothing_and_the_decoder_s_mask_is_kept() -> None:
    assert view(map="encoder_self").outputs is None
    shown = view(map="decoder_self")
    assert tokens(shown.columns) == list(WENT_IN)
    np.testing.assert_array_equal(shown.mask, np.tri(3) > 0)
    np.testing.assert_array_equal(shown.drawn, shown.mask)


def test_words_add_columns_up_and_average_rows() -> None:
    shown = view(units="words")
    assert tokens(shown.columns) == ["<2es>", "library", "!", "</s>"]
    assert tokens(shown.rows) == ["<s> biblio", "teca"]  # the steps that wrote the word make one row
    assert tokens(shown.outputs) == ["biblioteca", "</s>"]
    assert_weights(shown, [[0.05, 0.55, 0.1, 0.3], [0.5, 0, 0, 0.5]])


def test_rows_of_decoder_self_attention_are_the_words_that_its_columns_are() -> None:
    shown = view(map="decoder_self", units="words")
    assert tokens(shown.rows) == tokens(shown.columns) == ["<s>", "biblioteca"]
    assert tokens(shown.outputs) == ["biblio", "teca</s>"]
    assert_weights(shown, [[1, 0], [0.4, 0.6]])
    np.testing.assert_array_equal(shown.mask, [[True, False], [True, True]])


@pytest.mark.parametrize(
    ("merge", "first_row"),
    [
        ("layer_mean", [0.5, 0.15, 0.15, 0, 0.2]),
        ("layer_max", [0.9, 0.2, 0.3, 0, 0.4]),
        ("all_mean", [0.5, 0.15, 0.15, 0, 0.2]),
        ("all_max", [0.9, 0.2, 0.3, 0, 0.4]),
    ],
)
def test_heads_merge_to_their_mean_and_maximum(merge: str, first_row: list[float]) -> None:
    np.testing.assert_allclose(view(merge=merge).weights[0], first_row, atol=1e-6)


def test_all_layers_count_in_all_and_one_in_a_layer() -> None:
    cross = small_trace().cross.copy()
    cross[1] = 0
    trace = small_trace(cross=cross)
    np.testing.assert_allclose(view(trace, merge="layer_mean").weights[0, 0], 0.5, atol=1e-6)
    np.testing.assert_allclose(view(trace, merge="all_mean").weights[0, 0], 0.25, atol=1e-6)
    assert view(trace, merge="layer_max", layer=1).weights.max() == 0


def test_a_maximum_of_words_is_taken_after_the_words_are_made() -> None:
    cross = np.zeros((2, 2, 3, 5), np.float32)
    cross[0, 0, :, 1] = 0.6  # one head on the word's first piece, the other on its second
    cross[0, 1, :, 2] = 0.5
    shown = view(small_trace(cross=cross), merge="layer_max", units="words")
    assert_weights(shown, [[0, 0.6, 0, 0], [0, 0.6, 0, 0]])


def test_hidden_special_tokens_leave_the_rest_as_much_as_there_was() -> None:
    shown = view(special="hidden")
    assert tokens(shown.columns) == ["▁li", "brary", "!"]
    assert tokens(shown.rows) == ["<s>", "▁biblio"]  # their steps wrote the two pieces; the last wrote the end
    assert tokens(shown.outputs) == ["▁biblio", "teca"]
    assert_weights(shown, [[0.4, 0.6, 0], [0.625, 0.125, 0.25]])
    assert shown.hidden_share is not None
    np.testing.assert_allclose(shown.hidden_share, [0.5, 0.2], atol=1e-6)


def test_rows_of_the_encoder_go_with_their_own_token() -> None:
    shown = view(map="encoder_self", special="hidden")
    assert tokens(shown.rows) == ["▁li", "brary", "!"]
    assert_weights(shown, np.eye(3))


def test_a_row_with_less_than_a_hundredth_left_is_blank_and_not_magnified() -> None:
    cross = small_trace().cross.copy()
    cross[0, 0, 0] = [0.991, 0.009, 0, 0, 0]
    cross[0, 0, 1] = [0.989, 0.011, 0, 0, 0]
    shown = view(small_trace(cross=cross), special="hidden")
    np.testing.assert_array_equal(shown.blank, [True, False])
    assert_weights(shown, [[0.009, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(shown.drawn, [[False] * 3, [True] * 3])


def test_maxima_are_no_shares_so_nothing_is_made_up() -> None:
    shown = view(special="hidden", merge="layer_max")
    assert_weights(shown, [[0.2, 0.3, 0], [0.5, 0.2, 0.2]])
    assert shown.hidden_share is None
    assert not shown.blank.any()


def test_words_without_special_tokens() -> None:
    shown = view(special="hidden", units="words")
    assert (tokens(shown.rows), tokens(shown.columns)) == (["<s> biblio"], ["library", "!"])
    assert_weights(shown, [[0.55 / 0.65, 0.1 / 0.65]])


def test_the_scale_stretches_to_the_largest_weight_shown() -> None:
    assert view(scale="stretched").scale == pytest.approx(0.5)
    assert view(scale="stretched", special="hidden").scale == pytest.approx(0.625)
    assert view(small_trace(cross=np.zeros((2, 2, 3, 5), np.float32)), scale="stretched").scale == 1


def test_rollout_of_the_encoder_is_the_product_of_half_residual_means() -> None:
    """Both layers' mean is 0.5 I + 0.1, so each matrix is 0.75 I + 0.05, and their product 0.5625 I + 0.0875."""
    expected = 0.5625 * np.eye(5) + 0.0875
    np.testing.assert_allclose(rollout(small_trace(), "encoder_self", 1), expected, atol=1e-6)
    np.testing.assert_allclose(rollout(small_trace(), "encoder_self", 0), 0.75 * np.eye(5) + 0.05, atol=1e-6)


def test_rollout_of_the_decoder_s_first_step() -> None:
    """After <s> there is only <s>: half of it stays at each layer; the other half is the source's."""
    trace = small_trace()
    source = 0.5625 * np.eye(5) + 0.0875
    looked = np.array([0.5, 0.15, 0.15, 0, 0.2]) @ source
    np.testing.assert_allclose(rollout(trace, "decoder_self", 1)[0], [0.25, 0, 0], atol=1e-6)
    np.testing.assert_allclose(rollout(trace, "cross", 1)[0], 0.25 * looked + 0.5 * looked, atol=1e-6)


@pytest.mark.parametrize("layer", [0, 1])
def test_shares_of_a_rollout_add_up_to_one(layer: int) -> None:
    trace = small_trace()
    both = rollout(trace, "decoder_self", layer).sum(axis=1) + rollout(trace, "cross", layer).sum(axis=1)
    np.testing.assert_allclose(both, 1, atol=1e-6)
    np.testing.assert_allclose(
        view(trace, map="encoder_self", merge="rollout", layer=layer).weights.sum(axis=1), 1, atol=1e-6
    )
    forbidden = ~trace.mask("decoder_self")
    assert not view(trace, map="decoder_self", merge="rollout", layer=layer).weights[forbidden].any()


def test_hidden_shares_of_a_rollout_keep_what_the_row_added_up_to() -> None:
    whole = view(merge="rollout", layer=1).weights.sum(axis=1)
    np.testing.assert_allclose(
        view(merge="rollout", layer=1, special="hidden").weights.sum(axis=1), whole[:2], atol=1e-6
    )


def test_an_unknown_piece_is_called_what_was_typed() -> None:
    trace = small_trace(
        source_tokens=("<2es>", "<unk>", "brary", "!", "</s>"), source_surfaces=("", "漢", "brary", "!", "")
    )
    assert [piece.label for piece in view(trace).columns] == ["<2es>", "<unk> 漢", "brary", "!", "</s>"]


PAGE = {
    "tab": "attention",
    "map": "decoder_self",
    "layer": 1,
    "head": 0,
    "step": None,
    "merge": "layer_max",
    "view": "lines",
    "lines": [1],
    "units": "words",
    "special": "hidden",
    "scale": "stretched",
}


def test_the_page_s_selection_is_read_whole_and_what_it_leaves_out_is_as_the_page_begins() -> None:
    read = Selection.of(PAGE)
    assert {name: getattr(read, name) for name in PAGE if name not in ("tab", "step", "lines")} == {
        name: value for name, value in PAGE.items() if name not in ("tab", "step", "lines")
    }
    assert read.lines == (1,)
    assert Selection.of({"map": "cross", "layer": 2}) == Selection("cross", 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "must be an object, not None"),
        ([], "must be an object"),
        ({}, "has no map"),
        ({"map": "cross"}, "has no layer"),
        (PAGE | {"map": "memory"}, "map must be one of encoder_self, decoder_self, cross, not 'memory'"),
        (PAGE | {"map": ["cross"]}, "map must be one of"),
        (PAGE | {"layer": True}, "layer must be a whole number from 0 on, not True"),
        (PAGE | {"layer": -1}, "layer must be"),
        (PAGE | {"head": "0"}, "head must be a whole number"),
        (PAGE | {"head": 1.0}, "head must be a whole number"),
        (PAGE | {"merge": "sum"}, "merge must be one of head, layer_mean"),
        (PAGE | {"units": None}, "units must be one of pieces, words"),
        (PAGE | {"lines": 3}, "lines must be"),
        (PAGE | {"lines": [1, "x"]}, "lines must be"),
        (PAGE | {"scale": {}}, "scale must be one of"),
    ],
)
def test_a_selection_that_is_none_is_refused_by_name(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Selection.of(given)


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ({"layer": 2}, "layer must be 0 to 1, not 2"),
        ({"head": 2}, "head must be 0 to 1, not 2"),
        ({"lines": (0, 5)}, "head must be 0 to 1, not 5"),
    ],
)
def test_a_layer_or_head_that_the_trace_has_not_is_refused(selected: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        view(**selected)
