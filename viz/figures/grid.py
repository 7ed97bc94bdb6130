"""All heads of one map as one figure: layers are rows, heads are columns. Lengths are in inches, fonts in points."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from viz.figures.matrix import LEGEND_HEIGHT, SMALLEST_FONT, draw_legend, draw_view, label_columns, label_rows
from viz.figures.style import FAINT, INK, Sheet, room_for
from viz.figures.titles import grid_title
from viz.view import View

_LARGEST_CELL, _PANEL = 0.2, 1.7
_GAP, _TITLE, _NAME = 0.14, 0.42, 0.28
_LARGEST_FONT, _FONT_OF_CELL = 7.0, 50


def grid_figure(views: Sequence[Sequence[View]], texts: Mapping[str, str]) -> Figure:
    """views: layer by layer, the heads of each; all of one map. texts: `viz.text.texts` of one language.

    Tokens stand at the outer panels only, and only where they can be read. Raises ValueError when there is no head.
    """
    if not views or not views[0]:
        raise ValueError("no heads to draw")
    first = views[0][0]
    rows, columns = ([piece.label for piece in pieces] for pieces in (first.rows, first.columns))
    cell = min(_LARGEST_CELL, _PANEL / max(len(rows), len(columns), 1))
    font = min(_LARGEST_FONT, _FONT_OF_CELL * cell)
    if font < SMALLEST_FONT:
        rows, columns = [], []
    across, down = len(first.columns) * cell + _GAP, len(first.rows) * cell + _GAP
    left, top = _NAME + room_for(rows, font) + 0.2, _TITLE + _NAME + room_for(columns, font)
    kind = first.selection.map
    title = grid_title(first, texts)
    sheet = Sheet(left + len(views[0]) * across, LEGEND_HEIGHT + len(views) * down + top, title)

    meshes = []
    for layer, heads in enumerate(views):
        bottom = LEGEND_HEIGHT + (len(views) - 1 - layer) * down + _GAP
        for head, view in enumerate(heads):
            axes = sheet.axes(left + head * across, bottom, across - _GAP, down - _GAP)
            meshes.append(draw_view(axes, view, cell))
            if head == 0:
                label_rows(axes, rows, font)
                axes.set_ylabel(texts["figure.grid.layer"].format(layer=layer + 1), fontsize=8, color=FAINT)
            if layer == 0:
                label_columns(axes, columns, font)
                axes.set_xlabel(texts["figure.grid.head"].format(head=head + 1), fontsize=8, color=FAINT)
    draw_legend(sheet, meshes[0], [view for heads in views for view in heads], left, texts)
    x, y = sheet.place(left, sheet.height - 0.05)
    sheet.figure.suptitle(title, x=x, y=y, ha="left", va="top", fontsize=11, color=INK)
    sheet.figure.text(
        x, y - 0.22 / sheet.height, texts[f"figure.grid.reading.{kind}"], va="top", fontsize=8, color=FAINT
    )
    return sheet.figure
