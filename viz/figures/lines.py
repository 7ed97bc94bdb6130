"""Heads as lines between two columns of tokens: what looks, and what is looked at. Lengths are in inches."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from transformer.trace import Booleans
from viz.figures.style import FAINT, INK, LINE_COLORS, Sheet, label, number, room_for
from viz.figures.titles import lines_title, side_titles
from viz.view import View

_STEP, _FONT, _SPAN = 0.24, 9.0, 2.6
_TITLE, _TITLE_FONT = 0.75, 8.0
_LEGEND, _LEGEND_LINE = 0.3, 0.17
#: Points of the faintest and of the strongest line; below the least part of the scale nothing would be seen.
_THINNEST, _WIDEST, _LEAST = 0.5, 3.0, 0.01


def lines_figure(views: Sequence[View], texts: Mapping[str, str]) -> Figure:
    """Views of the same tokens, each in a colour; a line is as thick and as dense as its weight.

    The first view names the figure. texts: `viz.text.texts` of one language. Raises ValueError when there is no view.
    """
    if not views:
        raise ValueError("no heads to draw")
    first = views[0]
    rows, columns = _row_labels(first), [label(piece.label) for piece in first.columns]
    row_title, column_title = _side_titles(first, texts)
    left = max(room_for(rows, _FONT), _title_room(row_title)) + 0.2
    right = max(room_for(columns, _FONT), _title_room(column_title)) + 0.2
    height = max(len(rows), len(columns)) * _STEP
    title = lines_title(views, texts)
    blank = np.all([view.blank for view in views], axis=0)  # (Q)
    entries = _legend_entries(views, blank, texts)
    legend = _LEGEND + _LEGEND_LINE * len(entries)
    sheet = Sheet(left + _SPAN + right, legend + height + _TITLE, title)
    axes = sheet.axes(left, legend, _SPAN, height)
    axes.set_xlim(0, 1)
    axes.set_ylim(height / _STEP, 0)
    axes.set_axis_off()
    _draw_lines(axes, views)
    _write_side(axes, -0.03, "right", row_title, rows, blank)
    _write_side(axes, 1.03, "left", column_title, columns, np.zeros(len(columns), bool))
    _write_legend(sheet, entries)
    x, y = sheet.place(0.05, sheet.height - 0.05)
    sheet.figure.suptitle(title, x=x, y=y, ha="left", va="top", fontsize=11, color=INK)
    return sheet.figure


def _row_labels(view: View) -> list[str]:
    """What went in, and for decoder and cross maps what came out behind it."""
    rows = [label(piece.label) for piece in view.rows]
    if view.outputs is None:
        return rows
    return [f"{row} → {label(output.label)}" for row, output in zip(rows, view.outputs, strict=True)]


def _color(view: View) -> str:
    """Merged heads have the first."""
    head = view.selection.head if view.selection.merge == "head" else 0
    return LINE_COLORS[head % len(LINE_COLORS)]


def _draw_lines(axes: Axes, views: Sequence[View]) -> None:
    """The strongest of all views lie on top."""
    ends, colors = zip(*(_strokes(view) for view in views), strict=True)
    lines, rgba = np.concatenate(ends), np.concatenate(colors)
    order = np.argsort(rgba[:, 3], kind="stable")
    widths = _THINNEST + (_WIDEST - _THINNEST) * rgba[order, 3]
    axes.add_collection(LineCollection(list(lines[order]), colors=rgba[order], linewidths=widths, capstyle="round"))


def _strokes(view: View) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends (lines, 2, 2) and colours with their density (lines, 4)."""
    part = np.clip(np.where(view.drawn, view.weights, 0) / view.scale, 0, 1)  # (Q, K)
    rows, columns = np.nonzero(part >= _LEAST)
    ends = np.stack([np.zeros(len(rows)), rows + 0.5, np.ones(len(rows)), columns + 0.5], axis=1).reshape(-1, 2, 2)
    return ends, np.column_stack([np.tile(to_rgb(_color(view)), (len(rows), 1)), part[rows, columns]])


def _side_titles(view: View, texts: Mapping[str, str]) -> tuple[str, str]:
    rows, columns = side_titles(view, texts)
    return rows if view.outputs is None else f"{rows} → {texts['figure.writes']}", columns


def _title_room(title: str) -> float:
    return 0.55 * len(title) * _TITLE_FONT / 72


def _write_side(axes: Axes, x: float, align: str, title: str, labels: list[str], blank: Booleans) -> None:
    """Tokens below one another; those of blank rows in grey."""
    axes.text(x, -0.3, title, ha=align, va="bottom", fontsize=_TITLE_FONT, color=FAINT)
    for place, text in enumerate(labels):
        color = FAINT if blank[place] else INK
        axes.text(x, place + 0.5, text, ha=align, va="center", fontsize=_FONT, color=color, parse_math=False)


def _legend_entries(views: Sequence[View], blank: Booleans, texts: Mapping[str, str]) -> list[Line2D]:
    """Which colour is which head, what the widest line stands for, and what rows in grey are."""
    full = [texts["figure.lines.full"].format(weight=number(view.scale, 3, texts)) for view in views]
    heads = [texts["figure.grid.head"].format(head=view.selection.head + 1) for view in views]
    notes = [texts["figure.lines.blank"]] if blank.any() else []
    if len(views) == 1:
        names = full
    elif len(set(full)) == 1:
        names, notes = heads, [full[0], *notes]
    else:
        names = [f"{head}: {text}" for head, text in zip(heads, full, strict=True)]
    lines = zip(views, names, strict=True)
    return [
        *(Line2D([], [], color=_color(view), linewidth=_WIDEST, label=name) for view, name in lines),
        *(Line2D([], [], linestyle="none", label=note) for note in notes),
    ]


def _write_legend(sheet: Sheet, entries: Sequence[Line2D]) -> None:
    place = sheet.place(0.05, 0.05)
    style: Any = {"frameon": False, "fontsize": 8, "borderpad": 0, "labelcolor": INK}
    sheet.figure.legend(handles=entries, loc="lower left", bbox_to_anchor=place, **style)
