"""Masks as a figure for files: who may look at whom. Lengths are in inches, font sizes in points."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from viz.board.payload import MaskPanel
from viz.figures.matrix import COLORS, FORBIDDEN, SMALLEST_FONT, draw_cells, draw_patches, label_columns, label_rows
from viz.figures.style import INK, Sheet, room_for

_ACROSS = 3  # panels in a row
_LARGEST_CELL, _PANEL = 0.2, 3.4
_LARGEST_FONT, _FONT_OF_CELL = 7.0, 50
_TITLE, _TITLE_FONT, _GAP, _BOTTOM = 0.5, 9.0, 0.2, 0.7
#: Of the colour map, for cells that are allowed.
_ALLOWED = 0.5


def masks_figure(panels: Sequence[MaskPanel], texts: Mapping[str, str]) -> Figure:
    """All panels, three in a row: filled cells are allowed, hatched ones forbidden.

    texts: `viz.text.texts` of one language. Raises ValueError when there is no panel.
    """
    if not panels:
        raise ValueError("no masks to draw")
    longest = max(max(panel.allowed.shape) for panel in panels)
    cell = min(_LARGEST_CELL, _PANEL / longest)
    font = min(_LARGEST_FONT, _FONT_OF_CELL * cell)
    row_room = max(room_for(panel.row_tokens, font) for panel in panels) if font >= SMALLEST_FONT else 0
    column_room = max(room_for(panel.column_tokens, font) for panel in panels) if font >= SMALLEST_FONT else 0
    left, top = row_room + 0.35, column_room + 0.3 + _TITLE
    names = [_in_two_lines(texts[panel.id]) for panel in panels]
    widest_name = max(len(line) for name in names for line in name.splitlines()) * 0.56 * _TITLE_FONT / 72
    across, down = left + max(longest * cell, widest_name) + _GAP, top + longest * cell
    lines = -(-len(panels) // _ACROSS)
    title = texts["figure.title.masks"]
    sheet = Sheet(min(len(panels), _ACROSS) * across, lines * down + _BOTTOM + 0.3, title)
    for place, (panel, name) in enumerate(zip(panels, names, strict=True)):
        line, column = divmod(place, _ACROSS)
        rows, columns = panel.allowed.shape
        upper = sheet.height - 0.3 - line * down - top
        axes = sheet.axes(column * across + left, upper - rows * cell, columns * cell, rows * cell)
        _draw_panel(axes, panel, cell, font)
        axes.set_ylabel(texts["axis.looks"], fontsize=7, color=INK)
        axes.set_xlabel(texts["axis.looked_at"], fontsize=7, color=INK)
        axes.set_title(name, loc="left", fontsize=_TITLE_FONT, color=INK, pad=6)
    allowed = Patch(facecolor=colormaps[COLORS](_ALLOWED), label=texts["mask.allowed"])
    draw_patches(sheet, [allowed, Patch(label=texts["legend.forbidden"], **FORBIDDEN)], left)
    x, y = sheet.place(left, sheet.height - 0.05)
    sheet.figure.suptitle(title, x=x, y=y, ha="left", va="top", fontsize=11, color=INK)
    return sheet.figure


def _draw_panel(axes: Axes, panel: MaskPanel, cell: float, font: float) -> None:
    draw_cells(axes, np.full(panel.allowed.shape, _ALLOWED), panel.allowed, 1, cell)
    readable = font >= SMALLEST_FONT
    label_rows(axes, panel.row_tokens if readable else (), font)
    label_columns(axes, panel.column_tokens if readable else (), font)


def _in_two_lines(title: str) -> str:
    """The attention, then the mask: one line would be wider than most panels."""
    return title.replace(": ", ":\n")
