"""Figures hold the numbers, the tokens and the words that they were given. Pixels are not compared."""

import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import Rectangle
from plotly.basedatatypes import BaseFigure

from transformer.layers import sinusoidal_positions
from transformer.trace import AttentionMap, Kind
from viz.figures.files import figure_bytes
from viz.figures.head import head_figure
from viz.figures.positions import positions_curves, positions_heatmap, positions_similarity
from viz.text import texts

WENT_IN = ("<s>", "▁él", "$a$")
CAME_OUT = ("▁él", "$a$", "</s>")
SOURCE = ("<2en>", "漢", "🎉", "x\0\n", "</s>")
WORDS = texts("en")


def head_map(kind: Kind = "cross") -> AttentionMap:
    keys = WENT_IN if kind == "decoder_self" else SOURCE
    mask = np.tril(np.ones((3, 3), bool)) if kind == "decoder_self" else np.ones((3, 5), bool)
    weights = np.random.default_rng(0).random(mask.shape, dtype=np.float32) * mask
    weights /= weights.sum(axis=1, keepdims=True)
    return AttentionMap(kind, 2, 0, weights, mask, WENT_IN, keys, None if kind == "encoder_self" else CAME_OUT)


def cells(figure: Figure) -> QuadMesh:
    return next(item for item in figure.axes[0].collections if isinstance(item, QuadMesh))


def labels(ticks: list[Any]) -> list[str]:
    return [tick.get_text() for tick in ticks]


def test_rows_are_queries_columns_are_keys_and_outputs_stand_at_the_right() -> None:
    attention = head_map()
    figure = head_figure(attention, WORDS)
    axes = figure.axes[0]
    np.testing.assert_array_equal(np.asarray(cells(figure).get_array()), attention.weights)
    assert labels(axes.get_yticklabels()) == ["<s>", "▁él", "$a$"]
    assert labels(axes.get_xticklabels()) == ["<2en>", "漢", "🎉", "x<U+0000><U+000A>", "</s>"]
    assert axes.get_ylim() == (3, 0)
    assert axes.get_xlim() == (0, 5)
    assert axes.xaxis.get_ticks_position() == "top"
    (right,) = axes.child_axes
    assert labels(right.get_yticklabels()) == list(CAME_OUT)
    assert not any(label.get_parse_math() for label in axes.get_yticklabels())


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_axes_and_title_are_in_words_and_count_from_one(kind: Kind, language: str) -> None:
    words = texts(language)
    axes = head_figure(head_map(kind), words).axes[0]
    assert axes.get_ylabel() == words[f"figure.head.rows.{kind}"]
    assert axes.get_xlabel() == words[f"figure.head.columns.{kind}"]
    assert [right.get_ylabel() for right in axes.child_axes] == (
        [] if kind == "encoder_self" else [words["figure.head.writes"]]
    )
    if (kind, language) == ("cross", "en"):
        assert axes.get_title("left") == "Cross-attention, layer 3, head 1"


def test_the_scale_goes_from_0_to_1_whatever_the_weights_are() -> None:
    figure = head_figure(head_map(), WORDS)
    assert cells(figure).get_clim() == (0, 1)
    assert cells(figure).get_cmap().name == "viridis"
    assert figure.axes[1].get_xlabel() == "attention weight"
    assert figure.axes[1].get_xlim() == (0, 1)


def test_forbidden_cells_show_the_hatching_behind_them_and_not_the_colour_of_zero() -> None:
    attention = head_map("decoder_self")
    figure = head_figure(attention, WORDS)
    drawn = cells(figure).get_array()
    assert isinstance(drawn, np.ma.MaskedArray)
    np.testing.assert_array_equal(drawn.mask, ~attention.mask)
    (ground,) = (patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle))
    assert ground.get_hatch() == "////"
    assert ground.get_bbox().bounds == (0, 0, 3, 3)
    assert ground.get_zorder() < cells(figure).get_zorder()
    assert not np.allclose(ground.get_facecolor(), matplotlib.colormaps["viridis"](0.0), atol=0.2)
    assert [text.get_text() for legend in figure.legends for text in legend.get_texts()] == ["forbidden by the mask"]


def test_a_zero_that_is_allowed_is_drawn_and_no_legend_speaks_of_forbidden_cells() -> None:
    weights = np.array([[1, 0]], np.float32)
    attention = AttentionMap("cross", 0, 0, weights, np.ones((1, 2), bool), ("<s>",), ("a", "b"), ("</s>",))
    figure = head_figure(attention, WORDS)
    assert not np.ma.getmaskarray(np.ma.asarray(cells(figure).get_array())).any()
    assert figure.legends == []


def test_png_has_300_dots_an_inch_and_says_what_it_is() -> None:
    figure = head_figure(head_map(), WORDS)
    png = figure_bytes(figure, "png")
    height, width = imread(io.BytesIO(png), format="png").shape[:2]
    axes_width, axes_height = figure.axes[0].get_position().size * figure.get_size_inches()
    assert width > 300 * axes_width
    assert height > 300 * axes_height
    dots_a_metre = round(300 / 0.0254).to_bytes(4, "big")
    assert png[png.index(b"pHYs") + 4 :].startswith(dots_a_metre * 2 + b"\x01")
    assert b"Title\0Cross-attention, layer 3, head 1" in png
    assert b"Software\0Headlight" in png


def test_svg_holds_every_token_as_text_and_every_cell_as_a_path() -> None:
    svg = ElementTree.fromstring(figure_bytes(head_figure(head_map(), WORDS), "svg"))
    written = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    for token in (*WENT_IN, *CAME_OUT, "<2en>", "漢", "🎉", "x<U+0000><U+000A>", "attention weight"):
        assert token in written
    assert any("Cross-attention, layer 3, head 1" in (item.text or "") for item in svg.iter())
    meshes = [item for item in svg.iter() if (item.get("id") or "").startswith("QuadMesh")]
    assert len(list(meshes[0].iter("{http://www.w3.org/2000/svg}path"))) == 15


def test_equal_figures_are_equal_files_and_leave_no_setting_behind() -> None:
    before = dict(matplotlib.rcParams)
    with ThreadPoolExecutor(4) as pool:
        files = set(pool.map(lambda _: figure_bytes(head_figure(head_map(), WORDS), "svg"), range(4)))
    assert len(files) == 1
    assert dict(matplotlib.rcParams) == before


def test_characters_that_no_font_has_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert figure_bytes(head_figure(head_map(), WORDS), "png").startswith(b"\x89PNG")


def test_the_longest_maps_keep_square_cells_and_room_for_their_labels() -> None:
    tokens = tuple(f"▁token{i}" for i in range(128))
    weights = np.eye(128, dtype=np.float32)
    attention = AttentionMap("decoder_self", 0, 0, weights, np.tril(weights + 1) > 0, tokens, tokens, tokens)
    figure = head_figure(attention, WORDS)
    axes = figure.axes[0]
    width, height = axes.get_position().size * figure.get_size_inches()
    assert width == pytest.approx(height)
    assert width < 15
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(boxes))
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)


def test_a_very_long_token_is_cut_on_the_figure() -> None:
    attention = AttentionMap(
        "cross", 0, 0, np.ones((1, 1), np.float32), np.ones((1, 1), bool), ("a" * 99,), ("b",), None
    )
    (label,) = labels(head_figure(attention, WORDS).axes[0].get_yticklabels())
    assert label == "a" * 23 + "…"


@pytest.fixture
def table() -> np.ndarray:
    return sinusoidal_positions(50, 16).numpy()


def test_heatmap_of_positions_holds_the_table_and_its_numbers(table: np.ndarray) -> None:
    figure = positions_heatmap(table, WORDS)
    np.testing.assert_array_equal(figure.data[0].z, table)
    assert figure.data[0].z.dtype == np.float32
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    assert figure.data[0].hovertemplate == "position %{y}, dimension %{x}: %{z:.4f}<extra></extra>"
    assert axis_titles(figure) == ("dimension", "position")
    assert figure.layout.yaxis.autorange == "reversed"


def test_curves_are_columns_of_the_table(table: np.ndarray) -> None:
    figure = positions_curves(table, [0, 7], WORDS)
    assert [curve.name for curve in figure.data] == ["dimension 0", "dimension 7"]
    for curve, dimension in zip(figure.data, (0, 7), strict=True):
        np.testing.assert_array_equal(curve.x, np.arange(50))
        np.testing.assert_array_equal(curve.y, table[:, dimension])
    assert figure.data[1].hovertemplate == "position %{x}, dimension 7: %{y:.4f}<extra></extra>"
    assert axis_titles(figure) == ("position", "value")


def test_similarity_is_the_cosine_of_each_pair_of_positions(table: np.ndarray) -> None:
    figure = positions_similarity(table, texts("es"))
    wavelengths = 10_000 ** (np.arange(0, 16, 2) / 16)
    apart = np.subtract.outer(np.arange(50), np.arange(50))
    expected = np.cos(apart[..., None] / wavelengths).mean(axis=-1)
    np.testing.assert_allclose(figure.data[0].z, expected, atol=1e-6)
    assert axis_titles(figure) == ("otra posición", "posición")


def test_figures_have_no_ground_of_their_own_and_travel_as_typed_arrays(table: np.ndarray) -> None:
    figures = (positions_heatmap(table, WORDS), positions_curves(table, [3], WORDS), positions_similarity(table, WORDS))
    for figure in figures:
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.width is None
        assert '"dtype":"f4"' in figure.to_json()


@pytest.mark.parametrize(("language", "separators"), [("en", ".,"), ("es", ",.")])
def test_numbers_have_the_decimal_mark_of_the_language(table: np.ndarray, language: str, separators: str) -> None:
    words = texts(language)
    for figure in (
        positions_heatmap(table, words),
        positions_curves(table, [3], words),
        positions_similarity(table, words),
    ):
        assert figure.layout.separators == separators


def test_the_legend_of_the_curves_lies_below_the_axis_and_the_buttons_of_plotly_have_their_own_strip(
    table: np.ndarray,
) -> None:
    layout = positions_curves(table, [0, 7], WORDS).layout
    assert (layout.showlegend, layout.legend.yanchor) == (True, "top")
    assert layout.legend.yref in (None, "paper")
    plot = layout.height - layout.margin.t - layout.margin.b
    assert -layout.legend.y * plot >= layout.margin.b
    assert layout.margin.t >= 32  # Plotly's buttons are 22 high and begin 2 below the edge


def axis_titles(figure: BaseFigure) -> tuple[str, str]:
    return figure.layout.xaxis.title.text, figure.layout.yaxis.title.text
