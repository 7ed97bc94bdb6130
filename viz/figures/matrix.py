"""A matrix of weights on a figure for files: its cells, its tokens, and what its colours mean. Q rows, K columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from viz.figures.style import INK, Sheet, label, number
from viz.view import View

#: The colour map of the board in the page.
COLORS = "viridis"
FORBIDDEN: dict[str, Any] = {"facecolor": "#ededed", "edgecolor": "#b0b0b0", "hatch": "////", "linewidth": 0.0}
_BLANK: dict[str, Any] = {"facecolor": "white", "edgecolor": "#b0b0b0", "linewidth": 0.6}
#: Of the colour bar, and how high above the lower edge it stands.
BAR_WIDTH, BAR_HEIGHT, BAR_BOTTOM = 1.9, 0.1, 0.5
#: Room that `draw_legend` takes at the lower edge.
LEGEND_HEIGHT = 0.75
#: Cells smaller than this, 15 dots of a PNG, have no joints: the white would pale them.
_SMALLEST_JOINTED = 0.05
#: Tokens in smaller type than this would be dirt beside small cells.
SMALLEST_FONT = 3.5


def draw_cells(axes: Axes, values: NDArray[Any], drawn: NDArray[np.bool_], scale: float, cell: float) -> QuadMesh:
    """values (Q, K) as colours from 0 to `scale`; what is not drawn shows the hatching behind. cell: inches."""
    rows, columns = values.shape
    axes.add_patch(Rectangle((0, 0), columns, rows, zorder=0, **FORBIDDEN))
    # Vector cells with white joints: sharp at any size in an SVG, where a picture of pixels would be smoothed.
    mesh = axes.pcolormesh(
        np.ma.masked_array(values, ~drawn),
        cmap=COLORS,
        vmin=0,
        vmax=scale,
        edgecolors="white",
        linewidth=1.2 * cell if cell >= _SMALLEST_JOINTED else 0,
    )
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelleft=False, labelbottom=False)
    return mesh


def draw_view(axes: Axes, view: View, cell: float) -> QuadMesh:
    """The cells of a view; forbidden ones are hatched, blank rows are empty frames."""
    mesh = draw_cells(axes, view.weights, view.drawn, view.scale, cell)
    for row in np.flatnonzero(view.blank).tolist():
        axes.add_patch(Rectangle((0, row), len(view.columns), 1, zorder=0.5, **_BLANK))
    return mesh


def label_rows(axes: Axes, labels: Sequence[str], font: float) -> None:
    axes.set_yticks(np.arange(len(labels)) + 0.5, [label(text) for text in labels], **_text_style(font))
    axes.tick_params(axis="y", labelleft=True)


def label_columns(axes: Axes, labels: Sequence[str], font: float) -> None:
    """Above the cells, from bottom to top."""
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xticks(np.arange(len(labels)) + 0.5, [label(text) for text in labels], rotation=90, **_text_style(font))
    axes.tick_params(axis="x", length=0, labeltop=True)


def label_right(axes: Axes, labels: Sequence[str], title: str, font: float, at: float = 1.0) -> None:
    """Words at the right of each row, and what they are called; `at` is in widths of the cells, from the left."""
    right = axes.secondary_yaxis(at)
    right.set_yticks(np.arange(len(labels)) + 0.5, [label(text) for text in labels], **_text_style(font))
    right.set_ylabel(title, fontsize=font, color=INK)
    right.tick_params(length=0)
    right.spines[:].set_visible(False)


def draw_bar(sheet: Sheet, mesh: QuadMesh, ticks: Mapping[float, str], name: str, left: float) -> None:
    """What the colours of the mesh stand for, at the lower edge. ticks: what is written at which weights."""
    bar = sheet.axes(left, BAR_BOTTOM, BAR_WIDTH, BAR_HEIGHT)
    colors = sheet.figure.colorbar(mesh, cax=bar, orientation="horizontal")
    colors.set_ticks(list(ticks), labels=list(ticks.values()))
    colors.outline.set_visible(False)
    colors.set_label(name, fontsize=8, color=INK, loc="left")
    bar.tick_params(labelsize=7, length=2, colors=INK)


def scale_ticks(scale: float, texts: Mapping[str, str]) -> dict[float, str]:
    """For a bar from 0 to `scale`."""
    return {place: number(place, 2 if scale == 1 else 3, texts) for place in np.linspace(0, scale, 5).tolist()}


def draw_legend(sheet: Sheet, mesh: QuadMesh, views: Sequence[View], left: float, texts: Mapping[str, str]) -> None:
    """What the colours of the views mean, and the hatched and empty cells if there are any; at the lower edge.

    mesh: the cells of the first view. Views whose colours are stretched each to its own weights share a bar without
    numbers.
    """
    scale = views[0].scale
    shared = all(view.scale == scale for view in views)
    ticks = scale_ticks(scale, texts) if shared else {0.0: "0", scale: texts["figure.largest"]}
    draw_bar(sheet, mesh, ticks, weight_name(views[0], texts), left)
    patches = []
    if not all(view.mask.all() for view in views):
        patches.append(Patch(label=texts["legend.forbidden"], **FORBIDDEN))
    if any(view.blank.any() for view in views):
        patches.append(Patch(label=texts["figure.blank"], **_BLANK))
    if patches:
        draw_patches(sheet, patches, left + BAR_WIDTH + 0.2)


def draw_patches(sheet: Sheet, patches: Sequence[Patch], left: float) -> None:
    """What each patch means, beside the colour bar."""
    sheet.figure.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=sheet.place(left, BAR_BOTTOM + BAR_HEIGHT),
        borderpad=0,
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
    )


def weight_name(view: View, texts: Mapping[str, str]) -> str:
    """What a number of the view is, and that its colours are stretched, if they are."""
    name = texts["figure.weight.rollout" if view.selection.merge == "rollout" else "figure.weight"]
    return name if view.selection.scale == "fixed" else texts["figure.weight.stretched"].format(weight=name)


def _text_style(font: float) -> dict[str, Any]:
    return {"parse_math": False, "fontsize": font, "color": INK}
