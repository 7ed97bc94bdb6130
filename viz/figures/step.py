"""One step's row of every head of the cross-attention, below one another. Lengths are in inches, fonts in points."""

import textwrap
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from viz.figures.matrix import LEGEND_HEIGHT, draw_bar, draw_cells, label_columns, label_rows, scale_ticks
from viz.figures.style import FAINT, INK, Sheet, room_for
from viz.figures.titles import next_line, seen_line, step_title
from viz.step import Step

_LARGEST_CELL, _SMALLEST_CELL, _PAGE = 0.25, 0.11, 7.0
_LARGEST_FONT, _FONT_OF_CELL = 9.0, 50
#: Between layers.
_GAP = 0.08
#: Lines above the cells would be broken too often on a narrower sheet.
_NARROWEST = 5.5
_MARGIN, _TITLE, _LINE, _LINE_FONT = 0.05, 0.28, 0.16, 8.0


def step_figure(step: Step, texts: Mapping[str, str]) -> Figure:
    """Weights (L, H, S) as colours from 0 to 1: a row a head, layer by layer. texts: `viz.text.texts` of one language.

    Above them: what had gone in, of which the beginning gives way where it is long, and the likeliest next tokens.
    """
    layers, heads, length = step.weights.shape
    rows = [
        [texts["figure.step.row"].format(layer=layer + 1, head=head + 1) for head in range(heads)]
        for layer in range(layers)
    ]
    columns = [piece.label for piece in step.columns]
    cell = min(_LARGEST_CELL, max(_SMALLEST_CELL, _PAGE / max(layers * heads, length)))
    font = min(_LARGEST_FONT, _FONT_OF_CELL * cell)
    left = room_for((name for names in rows for name in names), font) + 0.1
    width = max(left + length * cell + _MARGIN, _NARROWEST)
    told = _lines(step, width, texts)
    top = _TITLE + _LINE * len(told) + 2.2 * font / 72 + room_for(columns, font) + 0.15
    down = heads * cell + _GAP
    title = step_title(step, texts)
    sheet = Sheet(width, LEGEND_HEIGHT + layers * down + top, title)

    for layer, weights in enumerate(step.weights):
        bottom = LEGEND_HEIGHT + (layers - 1 - layer) * down + _GAP
        axes = sheet.axes(left, bottom, length * cell, heads * cell)
        mesh = draw_cells(axes, weights, np.ones(weights.shape, bool), 1, cell)
        label_rows(axes, rows[layer], font)
        if layer == 0:
            label_columns(axes, columns, font)
            axes.set_xlabel(texts["figure.columns.cross"], fontsize=font, color=INK)
    draw_bar(sheet, mesh, scale_ticks(1, texts), texts["figure.weight"], left)
    _write_heading(sheet, title, told)
    return sheet.figure


def _lines(step: Step, width: float, texts: Mapping[str, str]) -> list[str]:
    """As long as the sheet is wide."""
    letters = int((width - 2 * _MARGIN) * 72 / (0.62 * _LINE_FONT))
    likeliest = textwrap.wrap(next_line(step, texts), letters, break_long_words=False, break_on_hyphens=False)
    return [seen_line(step, texts, letters), *likeliest]


def _write_heading(sheet: Sheet, title: str, lines: list[str]) -> None:
    x, y = sheet.place(_MARGIN, sheet.height - 0.05)
    sheet.figure.suptitle(title, x=x, y=y, ha="left", va="top", fontsize=11, color=INK, parse_math=False)
    for number, line in enumerate(lines):
        x, y = sheet.place(_MARGIN, sheet.height - _TITLE - number * _LINE)
        sheet.figure.text(x, y, line, va="top", fontsize=_LINE_FONT, color=FAINT, parse_math=False)
