"""The figure of a step holds the numbers, the tokens and the words that it was given. Pixels are not compared."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.viz.small import SOURCE, small_step
from tests.viz.test_figures import cells, labels, row_labels
from viz.figures.step import step_figure
from viz.figures.titles import next_line, seen_line, step_title
from viz.step import Step
from viz.text import texts
from viz.view import Piece

WORDS, PALABRAS = texts("en"), texts("es")


def large_step(layers: int, heads: int, length: int) -> Step:
    """The last of 100 steps."""
    weights = np.random.default_rng(0).dirichlet(np.ones(length), (layers, heads)).astype(np.float32)
    columns, seen = (tuple(Piece(f"▁{name}{i}") for i in range(count)) for name, count in (("de", length), ("a", 100)))
    return replace(small_step(), place=99, count=100, weights=weights, columns=columns, seen=seen)


def heading(figure: Figure) -> list[str]:
    """Title and lines above the cells, from top to bottom."""
    return [text.get_text() for text in sorted(figure.texts, key=lambda text: -text.get_position()[1])]


def plain(line: str) -> str:
    return line.replace("\N{NO-BREAK SPACE}", " ")


def test_each_layer_has_a_panel_with_a_row_a_head() -> None:
    step = small_step()
    figure = step_figure(step, WORDS)
    panels = figure.axes[:2]
    for panel, weights in zip(panels, step.weights, strict=True):
        drawn = cells(panel).get_array()
        np.testing.assert_array_equal(np.asarray(drawn), weights)
        assert not np.ma.getmaskarray(np.ma.asarray(drawn)).any()
        assert (cells(panel).get_clim(), cells(panel).get_cmap().name) == ((0, 1), "viridis")
        assert panel.get_ylim() == (2, 0)
        assert panel.get_xlim() == (0, 5)
    assert row_labels(panels[0]) == ["layer 1, head 1", "layer 1, head 2"]
    assert row_labels(panels[1]) == ["layer 2, head 1", "layer 2, head 2"]


def test_source_tokens_stand_once_above_all_layers_which_a_gap_parts() -> None:
    first, second = step_figure(small_step(), WORDS).axes[:2]
    assert labels(first.get_xticklabels()) == list(SOURCE)
    assert first.xaxis.get_ticks_position() == "top"
    assert labels(second.get_xticklabels()) == []
    assert (first.get_xlabel(), second.get_xlabel()) == ("source token looked at", "")
    assert first.get_position().y0 > second.get_position().y1
    assert first.get_position().x0 == second.get_position().x0


@pytest.mark.parametrize(
    ("words", "title", "ticks"),
    [
        (WORDS, "attention weight", ["0", "0.25", "0.5", "0.75", "1"]),
        (PALABRAS, "peso de atención", ["0", "0,25", "0,5", "0,75", "1"]),
    ],
)
def test_the_bar_says_what_the_colours_are(words: Any, title: str, ticks: list[str]) -> None:
    bar = step_figure(small_step(), words).axes[2]
    assert (bar.get_xlabel(), labels(bar.get_xticklabels())) == (title, ticks)


def test_title_and_lines_tell_the_step_what_went_in_and_what_came_next() -> None:
    figure = step_figure(small_step(), WORDS)
    title, seen, likeliest = heading(figure)
    assert title == figure.get_label() == "Cross-attention, all heads at step 2 of 3, which wrote teca"
    assert seen == "Went in: <s> ▁biblio"
    assert plain(likeliest) == "Likeliest next tokens: s 0.5000 · teca 0.4000 (taken)"


def test_spanish_figures_speak_spanish() -> None:
    figure = step_figure(small_step(0), PALABRAS)
    title, seen, likeliest = heading(figure)
    assert title == "Atención cruzada, todas las cabezas en el paso 1 de 3, que escribió ▁biblio"
    assert seen == "Entró: <s>"
    assert plain(likeliest) == "Siguientes tokens más probables: ▁biblio 0,7000 (elegido) · ▁libro 0,2000"
    assert row_labels(figure.axes[1]) == ["capa 2, cabeza 1", "capa 2, cabeza 2"]


def test_what_was_taken_is_told_even_if_it_is_none_of_the_likeliest() -> None:
    line = plain(next_line(small_step(2), WORDS))
    assert line == "Likeliest next tokens: ! 0.6000 · ▁y 0.3000 · … · </s> 0.0500 (taken)"


def test_a_token_that_was_prescribed_is_given_and_not_taken() -> None:
    assert plain(next_line(small_step(1, forced=True), WORDS)).endswith("teca 0.4000 (given)")
    assert plain(next_line(small_step(1, forced=True), PALABRAS)).endswith("teca 0,4000 (dado)")


def test_what_went_in_is_shortened_at_its_beginning() -> None:
    step = small_step(2)
    assert seen_line(step, WORDS) == "Went in: <s> ▁biblio teca"
    assert seen_line(step, WORDS, len("Went in: <s> ▁biblio teca")) == "Went in: <s> ▁biblio teca"
    assert seen_line(step, WORDS, len("Went in: <s> ▁biblio teca") - 1) == "Went in: … ▁biblio teca"
    assert seen_line(step, WORDS, len("Went in: … ▁biblio teca") - 1) == "Went in: … teca"
    assert seen_line(step, WORDS, 1) == "Went in: … teca"


def test_odd_tokens_are_written_as_they_are_and_long_ones_are_cut() -> None:
    step = replace(
        small_step(), taken=Piece("$a$\n"), seen=(Piece("x\0"), Piece("$b$")), columns=(Piece("a" * 99),) * 5
    )
    figure = step_figure(step, WORDS)
    title, seen, likeliest = heading(figure)
    assert title.endswith("which wrote $a$<U+000A>")
    assert seen == "Went in: x<U+0000> $b$"
    assert "$a$<U+000A> 0.4000 (taken)" in plain(likeliest)
    assert not any(text.get_parse_math() for text in figure.texts)
    assert labels(figure.axes[0].get_xticklabels()) == ["a" * 23 + "…"] * 5
    assert step_title(step, WORDS) == title


@pytest.mark.parametrize(("layers", "heads", "length"), [(3, 6, 100), (6, 8, 7), (6, 8, 100), (1, 1, 2)])
def test_large_and_small_models_and_sentences_have_square_cells_and_readable_labels(
    layers: int, heads: int, length: int
) -> None:
    figure = step_figure(large_step(layers, heads, length), WORDS)
    panels = figure.axes[:layers]
    width, height = panels[0].get_position().size * figure.get_size_inches()
    assert width / length == pytest.approx(height / heads)
    assert figure.get_figwidth() < 14
    figure.draw_without_rendering()
    rows = [label for panel in panels for label in panel.get_yticklabels()]
    columns = panels[0].get_xticklabels()
    assert (len(rows), len(columns)) == (layers * heads, length)
    assert all(float(label.get_fontsize()) >= 5.5 for label in (*rows, *columns))
    down = [label.get_window_extent() for label in rows]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(down))
    across = [label.get_window_extent() for label in columns]
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(across))
    assert all(box.x0 >= 0 for box in down)
    lines = [text.get_window_extent() for text in figure.texts]
    assert all(line.x1 <= figure.bbox.width for line in lines)
    named = panels[0].xaxis.label.get_window_extent()
    assert min(line.y0 for line in lines) > named.y1 > named.y0 >= max(box.y1 for box in across)


def test_a_long_list_of_candidates_is_broken_between_them() -> None:
    candidates = tuple((Piece(f"▁palabra{i}"), -float(i)) for i in range(1, 11))
    lines = heading(step_figure(replace(small_step(), candidates=candidates), WORDS))[2:]
    assert len(lines) > 1
    assert all(plain(line).endswith(" ·") for line in lines[:-1])
    assert plain(" ".join(lines)) == plain(next_line(replace(small_step(), candidates=candidates), WORDS))
