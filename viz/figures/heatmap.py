"""One view as a heatmap for papers and slides. Lengths are in inches, font sizes in points."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from viz.figures.matrix import BAR_WIDTH, LEGEND_HEIGHT, draw_legend, draw_view, label_columns, label_right, label_rows
from viz.figures.style import INK, Sheet, percent, room_for
from viz.figures.titles import side_titles, view_title
from viz.view import View

# Cells are as large as a page allows, text is in proportion to them.
_LARGEST_CELL, _SMALLEST_CELL, _PAGE = 0.4, 0.11, 5.5
_FONT, _FONT_OF_CELL = 9.0, 50


def heatmap_figure(view: View, texts: Mapping[str, str]) -> Figure:
    """Weights (Q, K) as colours; forbidden cells are hatched. texts: `viz.text.texts` of one language.

    Rows look at columns. Decoder and cross maps name at the right what each row wrote; where special tokens are hidden,
    the share of the row's weight that lay on them stands there too.
    """
    rows, columns = (tuple(piece.label for piece in pieces) for pieces in (view.rows, view.columns))
    outputs = tuple(piece.label for piece in view.outputs or ())
    cell = min(_LARGEST_CELL, max(_SMALLEST_CELL, _PAGE / max(len(rows), len(columns), 1)))
    font = min(_FONT, _FONT_OF_CELL * cell)
    line = 2.2 * font / 72
    left, top = room_for(rows, font) + line, room_for(columns, font) + 2 * line
    output_room = room_for(outputs, font) + line if outputs else 0.1
    share_room = 0.0 if view.hidden_share is None else room_for(["100,0 %"], font) + line
    title = view_title(view, texts)
    width = left + max(len(columns) * cell + output_room + share_room, 2 * BAR_WIDTH)
    sheet = Sheet(width, LEGEND_HEIGHT + len(rows) * cell + top, title)

    axes = sheet.axes(left, LEGEND_HEIGHT, len(columns) * cell, len(rows) * cell)
    mesh = draw_view(axes, view, cell)
    label_rows(axes, rows, font)
    label_columns(axes, columns, font)
    row_title, column_title = side_titles(view, texts)
    axes.set_ylabel(row_title, fontsize=font, color=INK)
    axes.set_xlabel(column_title, fontsize=font, color=INK)
    if outputs:
        label_right(axes, outputs, texts["figure.writes"], font)
    if view.hidden_share is not None:
        shares = [percent(share, texts) for share in view.hidden_share]
        label_right(axes, shares, texts["figure.hidden_share"], font, at=1 + output_room / (len(columns) * cell))
    draw_legend(sheet, mesh, [view], left, texts)
    axes.set_title(title, loc="left", fontsize=font + 2, color=INK, pad=8)
    return sheet.figure
