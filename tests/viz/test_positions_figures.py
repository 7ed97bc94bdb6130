"""Figures of positions hold the table's numbers: Plotly's on the page, Matplotlib's in files."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from plotly.basedatatypes import BaseFigure

from transformer.layers import sinusoidal_positions
from viz.figures.positions import positions_curves, positions_heatmap, positions_similarity
from viz.figures.positions_file import positions_figure
from viz.text import texts

WORDS = texts("en")


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


def axes_named(figure: Figure, across: str, down: str) -> Axes:
    return next(axes for axes in figure.axes if (axes.get_xlabel(), axes.get_ylabel()) == (across, down))


def test_the_figure_for_files_shows_table_curves_and_similarity(table: np.ndarray) -> None:
    figure = positions_figure(table, [0, 7], 10_000, WORDS)
    heat = axes_named(figure, "dimension", "position").get_images()[0]
    np.testing.assert_array_equal(heat.get_array(), table)
    assert heat.get_clim() == (-1, 1)
    curves = axes_named(figure, "position", "value").get_lines()
    assert [curve.get_label() for curve in curves] == ["dimension 0", "dimension 7"]
    np.testing.assert_array_equal(curves[1].get_ydata(), table[:, 7])
    cosines = np.asarray(axes_named(figure, "other position", "position").get_images()[0].get_array())
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-6)
    np.testing.assert_allclose(cosines[3, 5], table[3] @ table[5] / 8, atol=1e-6)
    assert figure.get_label() == "Sinusoidal positions: 50 vectors of width 16, base 10000"


def test_numbers_on_the_figure_for_files_have_the_language_s_decimal_mark(table: np.ndarray) -> None:
    axes = axes_named(positions_figure(table, [0], 10_000, texts("es")), "posición", "valor")
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["-1", "-0,5", "0", "0,5", "1"]


def test_a_figure_for_files_without_curves_is_drawn(table: np.ndarray) -> None:
    assert axes_named(positions_figure(table, [], 10_000, WORDS), "position", "value").get_legend() is None
