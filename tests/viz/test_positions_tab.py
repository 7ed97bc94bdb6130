"""The Positions tab draws the paper's formula, and answers what cannot be drawn with a sentence."""

import math
from typing import Any

import gradio as gr
import numpy as np
import pytest

from viz.tabs.positions import build_positions_tab, draw_curves, draw_table


def test_sliders_draw_the_formula_of_section_3_5() -> None:
    heatmap, similarity, notice = draw_table(8, 6, 3, "en")
    expected = [
        [(math.cos if d % 2 else math.sin)(pos / 1000 ** ((d - d % 2) / 8)) for d in range(8)] for pos in range(6)
    ]
    np.testing.assert_allclose(heatmap.data[0].z, expected, atol=1e-7)
    assert similarity.data[0].z.shape == (6, 6)
    assert notice["visible"] is False


def test_curves_are_those_asked_for_each_once_in_that_order() -> None:
    figure, notice = draw_curves(8.0, 6, 4, " 3, 0 3;7,", "en")
    assert [curve.name for curve in figure.data] == ["dimension 3", "dimension 0", "dimension 7"]
    np.testing.assert_allclose(figure.data[0].y, [math.cos(pos / 10) for pos in range(6)], atol=1e-7)
    assert notice["visible"] is False


def test_dimensions_past_the_table_are_named_and_left_out() -> None:
    figure, notice = draw_curves(8, 6, 4, "0, 8, 20", "en")
    assert [curve.name for curve in figure.data] == ["dimension 0"]
    assert notice["visible"] is True
    assert notice["value"] == "Not drawn, because this table's dimensions go from 0 to 7: 8, 20."


def test_figures_and_notices_speak_the_browsers_language() -> None:
    heatmap, _, _ = draw_table(8, 6, 4, "es-MX")
    assert heatmap.layout.xaxis.title.text == "dimensión"
    assert draw_table(9, 6, 4, "es")[2]["value"].startswith("d_model debe ser un número par de 8 a 512")
    assert draw_table(8, 6, 4, None)[0].layout.xaxis.title.text == "dimension"


BAD: list[tuple[Any, Any, Any, str]] = [
    (9, 50, 4, "d_model must be an even number from 8 to 512"),
    (6, 50, 4, "d_model"),
    (514, 50, 4, "d_model"),
    ("abc", 50, 4, "d_model"),
    (True, 50, 4, "d_model"),
    (8.5, 50, 4, "d_model"),
    (math.inf, 50, 4, "d_model"),
    (192, 3, 4, "The length must be a whole number from 4 to 128"),
    (192, 129, 4, "length"),
    (192, 10**400, 4, "length"),
    (192, None, 4, "length"),
    (192, 50, 0.9, "The base must be 10 to a power from 1 to 5"),
    (192, 50, 400, "base"),
    (192, 50, math.nan, "base"),
    (192, 50, [4], "base"),
]


@pytest.mark.parametrize(("d_model", "length", "exponent", "said"), BAD)
def test_what_cannot_be_drawn_is_said_and_the_figures_stay(d_model: Any, length: Any, exponent: Any, said: str) -> None:
    *figures, notice = draw_table(d_model, length, exponent, "en")
    curves, curves_notice = draw_curves(d_model, length, exponent, "0", "en")
    assert [*figures, curves] == [gr.skip()] * 3
    assert said in notice["value"]
    assert notice["visible"] is True
    assert curves_notice == notice


@pytest.mark.parametrize("dimensions", ["", " , ", "1, x", "-1", "1.5", "٣", "9" * 5, "0,1,2,3,4,5,6,7,8", None, ["0"]])
def test_unreadable_dimensions_are_refused_with_an_example(dimensions: Any) -> None:
    figure, notice = draw_curves(192, 50, 4, dimensions, "en")
    assert_without_curves(figure, length=50)
    assert notice["value"].startswith("Dimensions are whole numbers with commas between them, at most 8")


def test_no_curve_of_an_older_table_stays_beside_a_new_one() -> None:
    drawn, _ = draw_curves(192, 50, 4, "0, 20", "en")
    assert len(drawn.data) == 2
    for d_model, length, dimensions in ((64, 30, "abc"), (8, 30, "20, 21")):
        heatmap, _, _ = draw_table(d_model, length, 4, "en")
        assert heatmap.data[0].z.shape == (length, d_model)
        figure, notice = draw_curves(d_model, length, 4, dimensions, "en")
        assert_without_curves(figure, length)
        assert notice["visible"] is True


def assert_without_curves(figure: Any, length: int) -> None:
    assert figure.data == ()
    assert figure.layout.xaxis.title.text == "position"
    assert figure.layout.xaxis.range == (-0.5, length - 0.5)


def test_every_event_is_private_and_values_arrive_unchanged() -> None:
    with gr.Blocks() as demo, gr.Tabs(), gr.Tab("positions") as tab:
        build_positions_tab(tab, str)
    events = list(demo.fns.values())
    drawing = [event for event in events if event.fn is not None]
    assert {event.api_visibility for event in events} == {"private"}
    assert [event.name for event in drawing] == ["draw_table", "draw_curves"]
    assert all(not event.preprocess and not event.queue for event in drawing)
    for event in drawing:
        assert (tab._id, "select") in event.targets
