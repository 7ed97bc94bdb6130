"""Figures for files hold the numbers, the tokens and the words that they were given. Pixels are not compared."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tests.viz.small import CROSS, SOURCE, WENT_IN, small_trace, small_view
from transformer.trace import Kind
from viz.board.payload import MaskPanel
from viz.figures.grid import grid_figure
from viz.figures.heatmap import heatmap_figure
from viz.figures.lines import lines_figure
from viz.figures.masks import masks_figure
from viz.figures.style import FAINT, LINE_COLORS
from viz.text import texts
from viz.view import Piece, Selection, View

WORDS = texts("en")
ODD = ("<2en>", "漢", "🎉", "x\0\n", "</s>")


def odd_view(went_in: tuple[str, ...] = ("<s>", "▁él", "$a$"), columns: tuple[str, ...] = ODD) -> View:
    """A cross-attention with tokens that are hard to draw."""
    weights = np.random.default_rng(0).dirichlet(np.ones(len(columns)), len(went_in)).astype(np.float32)
    rows, keys, outputs = (tuple(map(Piece, tokens)) for tokens in (went_in, columns, (*went_in[1:], "</s>")))
    mask, blank = np.ones(weights.shape, bool), np.zeros(len(went_in), bool)
    return View(Selection("cross", 2), weights, mask, rows, keys, outputs, None, blank, 1.0)


def cells(axes: Axes) -> QuadMesh:
    return next(item for item in axes.collections if isinstance(item, QuadMesh))


def labels(ticks: list[Any]) -> list[str]:
    return [tick.get_text() for tick in ticks]


def row_labels(axes: Any) -> list[str]:
    return labels(axes.get_yticklabels())


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_rows_are_queries_columns_are_keys_and_outputs_stand_at_the_right() -> None:
    view = odd_view()
    axes = heatmap_figure(view, WORDS).axes[0]
    np.testing.assert_array_equal(np.asarray(cells(axes).get_array()), view.weights)
    assert row_labels(axes) == ["<s>", "▁él", "$a$"]
    assert labels(axes.get_xticklabels()) == ["<2en>", "漢", "🎉", "x<U+0000><U+000A>", "</s>"]
    assert axes.get_ylim() == (3, 0)
    assert axes.get_xlim() == (0, 5)
    assert axes.xaxis.get_ticks_position() == "top"
    (right,) = axes.child_axes
    assert row_labels(right) == ["▁él", "$a$", "</s>"]
    assert not any(label.get_parse_math() for label in axes.get_yticklabels())


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_axes_and_title_are_in_words_and_count_from_one(kind: Kind, language: str) -> None:
    words = texts(language)
    figure = heatmap_figure(small_view(map=kind, layer=1), words)
    axes = figure.axes[0]
    assert axes.get_ylabel() == words[f"figure.rows.{kind}"]
    assert axes.get_xlabel() == words[f"figure.columns.{kind}"]
    assert [right.get_ylabel() for right in axes.child_axes] == (
        [] if kind == "encoder_self" else [words["figure.writes"]]
    )
    assert axes.get_title("left") == figure.get_label()
    if (kind, language) == ("cross", "en"):
        assert figure.get_label() == "Cross-attention, layer 2, head 1"


@pytest.mark.parametrize(
    ("selected", "title"),
    [
        ({"head": 1}, "Cross-attention, layer 1, head 2"),
        ({"merge": "layer_mean"}, "Cross-attention, mean of the heads of layer 1"),
        ({"merge": "layer_max"}, "Cross-attention, maximum of the heads of layer 1"),
        ({"merge": "all_mean"}, "Cross-attention, mean of all heads of all layers"),
        ({"merge": "all_max"}, "Cross-attention, maximum of all heads of all layers"),
        ({"merge": "rollout", "layer": 1}, "Cross-attention, attention rollout up to layer 2"),
        ({"units": "words"}, "Cross-attention, layer 1, head 1 (whole words)"),
        (
            {"units": "words", "special": "hidden"},
            "Cross-attention, layer 1, head 1 (whole words, special tokens hidden)",
        ),
    ],
)
def test_the_title_says_what_it_is(selected: dict[str, Any], title: str) -> None:
    assert heatmap_figure(small_view(**selected), WORDS).get_label() == title


def test_in_a_rollout_nothing_looks() -> None:
    axes, bar = heatmap_figure(small_view(map="encoder_self", merge="rollout"), WORDS).axes[:2]
    assert (axes.get_ylabel(), axes.get_xlabel()) == (WORDS["axis.state"], WORDS["axis.comes_from"])
    assert bar.get_xlabel() == "share of what the row is made of"


def test_the_scale_goes_from_0_to_1_whatever_the_weights_are() -> None:
    figure = heatmap_figure(small_view(), WORDS)
    assert cells(figure.axes[0]).get_clim() == (0, 1)
    assert cells(figure.axes[0]).get_cmap().name == "viridis"
    assert figure.axes[1].get_xlabel() == "attention weight"
    assert labels(figure.axes[1].get_xticklabels()) == ["0", "0.25", "0.5", "0.75", "1"]


def test_a_stretched_scale_ends_at_the_largest_weight_and_says_so() -> None:
    figure = heatmap_figure(small_view(scale="stretched"), texts("es"))
    assert cells(figure.axes[0]).get_clim() == pytest.approx((0, 0.5))
    assert labels(figure.axes[1].get_xticklabels()) == ["0", "0,125", "0,25", "0,375", "0,5"]
    assert figure.axes[1].get_xlabel() == "peso de atención, colores estirados hasta el mayor"


def test_forbidden_cells_show_the_hatching_behind_them_and_not_the_colour_of_zero() -> None:
    figure = heatmap_figure(small_view(map="decoder_self"), WORDS)
    axes = figure.axes[0]
    drawn = cells(axes).get_array()
    assert isinstance(drawn, np.ma.MaskedArray)
    np.testing.assert_array_equal(drawn.mask, np.tri(3) == 0)
    (ground,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    assert ground.get_hatch() == "////"
    assert ground.get_bbox().bounds == (0, 0, 3, 3)
    assert ground.get_zorder() < cells(axes).get_zorder()
    assert not np.allclose(ground.get_facecolor(), matplotlib.colormaps["viridis"](0.0), atol=0.2)
    assert legend_texts(figure) == ["forbidden by the mask"]


def test_a_zero_that_is_allowed_is_drawn_and_no_legend_speaks_of_forbidden_cells() -> None:
    figure = heatmap_figure(small_view(), WORDS)
    assert CROSS[0][0][3] == 0
    assert not np.ma.getmaskarray(np.ma.asarray(cells(figure.axes[0]).get_array())).any()
    assert figure.legends == []


def test_hidden_shares_stand_beside_the_rows_and_blank_rows_are_empty_frames() -> None:
    cross = small_trace().cross.copy()
    cross[0, 0, 0] = [0.995, 0.005, 0, 0, 0]
    figure = heatmap_figure(small_view(small_trace(cross=cross), special="hidden"), WORDS)
    axes = figure.axes[0]
    outputs, shares = axes.child_axes
    assert row_labels(outputs) == ["▁biblio", "teca"]
    assert (row_labels(shares), shares.get_ylabel()) == (["99.5%", "20%"], "weight on hidden tokens")
    np.testing.assert_array_equal(np.ma.getmaskarray(np.ma.asarray(cells(axes).get_array()))[:, 0], [True, False])
    frames = [
        patch.get_bbox().bounds for patch in axes.patches if isinstance(patch, Rectangle) and not patch.get_hatch()
    ]
    assert frames == [(0, 0, 3, 1)]
    assert legend_texts(figure) == ["less than 1% of the row is left"]


def test_the_longest_maps_keep_square_cells_and_room_for_their_labels() -> None:
    tokens = tuple(f"▁token{i}" for i in range(128))
    figure = heatmap_figure(odd_view(tokens, tokens), WORDS)
    axes = figure.axes[0]
    width, height = axes.get_position().size * figure.get_size_inches()
    assert width == pytest.approx(height)
    assert width < 15
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(boxes))
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)


def test_a_very_long_token_is_cut_on_the_figure() -> None:
    assert row_labels(heatmap_figure(odd_view(("a" * 99,)), WORDS).axes[0]) == ["a" * 23 + "…"]


def all_heads(**selected: Any) -> list[list[View]]:
    return [[small_view(layer=layer, head=head, **selected) for head in range(2)] for layer in range(2)]


def test_the_grid_has_a_panel_a_head_layers_below_one_another() -> None:
    figure = grid_figure(all_heads(), WORDS)
    panels = figure.axes[:4]
    for place, panel in enumerate(panels):
        layer, head = divmod(place, 2)
        np.testing.assert_allclose(np.asarray(cells(panel).get_array()), CROSS[(layer + head) % 2], atol=1e-6)
    assert [panel.get_ylabel() for panel in panels] == ["layer 1", "", "layer 2", ""]
    assert [panel.get_xlabel() for panel in panels] == ["head 1", "head 2", "", ""]
    assert row_labels(panels[0]) == row_labels(panels[2]) == list(WENT_IN)
    assert labels(panels[0].get_xticklabels()) == labels(panels[1].get_xticklabels()) == list(SOURCE)
    (upper, right), (lower, _) = [[panel.get_position() for panel in row] for row in (panels[:2], panels[2:])]
    assert upper.y0 > lower.y1
    assert upper.x1 < right.x0
    assert figure.get_label() == "Cross-attention, all layers and heads"


def test_the_grid_drops_tokens_that_could_not_be_read() -> None:
    tokens = tuple(f"▁token{i}" for i in range(100))
    figure = grid_figure([[odd_view(tokens, tokens)]], WORDS)
    assert row_labels(figure.axes[0]) == []
    assert cells(figure.axes[0]).get_array().shape == (100, 100)  # type: ignore[union-attr]


def test_heads_that_are_stretched_each_to_its_own_share_a_bar_without_numbers() -> None:
    figure = grid_figure(all_heads(scale="stretched"), WORDS)
    assert [cells(panel).get_clim()[1] for panel in figure.axes[:4]] == pytest.approx([0.5, 0.9, 0.9, 0.5])
    assert labels(figure.axes[4].get_xticklabels()) == ["0", "largest"]


def strokes(figure: Figure) -> LineCollection:
    return next(item for item in figure.axes[0].collections if isinstance(item, LineCollection))


def test_lines_lead_from_rows_to_columns_as_dense_as_their_weights() -> None:
    view = small_view()
    figure = lines_figure([view], WORDS)
    found = {}
    for (start, end), color in zip(
        strokes(figure).get_segments(), np.asarray(strokes(figure).get_colors()), strict=True
    ):
        assert (start[0], end[0]) == (0, 1)
        found[int(start[1]), int(end[1])] = color[3]
        assert to_hex(color) == LINE_COLORS[0]
    weights = {(row, column): weight for (row, column), weight in np.ndenumerate(view.weights) if weight >= 0.01}
    assert found == pytest.approx(weights)
    assert figure.axes[0].get_ylim()[0] > figure.axes[0].get_ylim()[1]  # the first token is at the top
    written = [text.get_text() for text in figure.axes[0].texts]
    assert {"<s> → ▁biblio", "▁biblio → teca", *SOURCE, "token that went in → token that came out"} <= set(written)


def test_several_heads_have_their_own_colours_and_are_named() -> None:
    figure = lines_figure([small_view(head=1), small_view(head=0)], WORDS)
    assert figure.get_label() == "Cross-attention, heads of layer 1"
    assert legend_texts(figure) == ["head 2", "head 1", "the widest line is a weight of 1"]
    assert {to_hex(color) for color in np.asarray(strokes(figure).get_colors())} == set(LINE_COLORS[:2])
    densities = np.asarray(strokes(figure).get_colors())[:, 3]
    assert (np.diff(densities) >= 0).all()  # the strongest lie on top


def test_heads_that_are_stretched_each_to_its_own_say_what_their_widest_lines_are() -> None:
    figure = lines_figure([small_view(head=head, scale="stretched") for head in (0, 1)], WORDS)
    assert legend_texts(figure) == [
        "head 1: the widest line is a weight of 0.5",
        "head 2: the widest line is a weight of 0.9",
    ]


def test_forbidden_pairs_and_blank_rows_have_no_line() -> None:
    view = small_view(map="decoder_self")
    assert len(strokes(lines_figure([view], WORDS)).get_segments()) == 6
    blank = replace(view, blank=np.array([True, False, False]))
    figure = lines_figure([blank], WORDS)
    assert all(start[1] > 1 for start, _ in strokes(figure).get_segments())
    assert grey_rows(figure) == ["<s> → ▁biblio"]
    assert legend_texts(figure)[-1] == "in grey: less than 1% of the row is left"


def test_a_row_is_grey_where_no_head_has_a_line_for_it() -> None:
    view, other = small_view(map="decoder_self"), small_view(map="decoder_self", head=1)
    blank = replace(view, blank=np.array([True, True, False])), replace(other, blank=np.array([False, True, False]))
    assert grey_rows(lines_figure(blank, WORDS)) == ["▁biblio → teca"]


def grey_rows(figure: Figure) -> list[str]:
    """Of a figure of lines, without the titles of its two sides."""
    titles = ("token that went in → token that came out", "token looked at")
    grey = [text.get_text() for text in figure.axes[0].texts if text.get_color() == FAINT]
    return [text for text in grey if text not in titles]


def test_masks_stand_in_panels_with_their_tokens() -> None:
    causal = np.tri(3) > 0
    panels = [
        MaskPanel("mask.decoder_causal", WENT_IN, WENT_IN, causal),
        MaskPanel("mask.cross", WENT_IN, SOURCE, np.ones((3, 5), bool)),
    ]
    figure = masks_figure(panels, WORDS)
    first, second = figure.axes
    titles = [axes.get_title("left").split("\n") for axes in (first, second)]
    assert titles == [WORDS[panel.id].replace(": ", ":\n").split("\n") for panel in panels]
    assert titles[0] == ["Decoder self-attention:", "causal"]
    np.testing.assert_array_equal(np.ma.getmaskarray(np.ma.asarray(cells(first).get_array())), ~causal)
    assert not np.ma.getmaskarray(np.ma.asarray(cells(second).get_array())).any()
    assert (row_labels(second), labels(second.get_xticklabels())) == (list(WENT_IN), list(SOURCE))
    assert first.get_position().x1 < second.get_position().x0
    assert legend_texts(figure) == ["may look", "forbidden by the mask"]


def test_the_masks_of_long_sentences_drop_tokens_that_could_not_be_read() -> None:
    tokens = tuple(f"▁token{i}" for i in range(100))
    (axes,) = masks_figure([MaskPanel("mask.cross", tokens, tokens, np.ones((100, 100), bool))], WORDS).axes
    assert (row_labels(axes), labels(axes.get_xticklabels())) == ([], [])
    assert cells(axes).get_array().shape == (100, 100)  # type: ignore[union-attr]


@pytest.mark.parametrize(("tokens", "jointed"), [(6, True), (60, False)])
def test_small_cells_have_no_joints_that_would_pale_them(tokens: int, jointed: bool) -> None:
    panel = cells(grid_figure([[odd_view(("a",) * tokens, ("b",) * tokens)]], WORDS).axes[0])
    assert bool(np.all(np.asarray(panel.get_linewidth()) > 0)) is jointed


@pytest.mark.parametrize("draw", [grid_figure, lines_figure, masks_figure])
def test_nothing_to_draw_is_refused(draw: Any) -> None:
    with pytest.raises(ValueError, match="to draw"):
        draw([], WORDS)
