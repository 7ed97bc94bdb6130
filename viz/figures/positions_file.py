"""Positional encodings as one figure for files: the table, single dimensions and similarity, as the page shows them.

N positions, D d_model. Positions and dimensions count from 0, as in the paper's formula (section 3.5).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from viz.figures.style import INK, LINE_COLORS, Sheet, number
from viz.figures.titles import positions_title
from viz.similarity import similarity

Floats = NDArray[np.float32]

_DIVERGING = "RdBu_r"
_TICKS = (-1, -0.5, 0, 0.5, 1)


def positions_figure(table: Floats, dimensions: Sequence[int], base: float, texts: Mapping[str, str]) -> Figure:
    """The table (N, D) above; columns of it as curves and the cosines between its rows (N, N) below.

    base: 10,000 in the paper.
    """
    title = positions_title(table, base, texts)
    sheet = Sheet(8.6, 7.4, title)
    image = _draw_image(sheet.axes(0.7, 4.1, 7.0, 2.7), table, texts, texts["figure.positions.dimension"])
    _draw_curves(sheet.axes(0.7, 0.9, 3.4, 2.4), table, dimensions, texts)
    _draw_image(sheet.axes(5.1, 0.9, 2.4, 2.4), similarity(table), texts, texts["figure.positions.other"])
    _draw_scale(sheet, image, (7.85, 4.1, 0.12, 2.7), texts["figure.positions.value"], texts)
    _draw_scale(sheet, image, (7.65, 0.9, 0.12, 2.4), texts["figure.positions.similarity"], texts)
    x, y = sheet.place(0.7, 7.3)
    sheet.figure.suptitle(title, x=x, y=y, ha="left", va="top", fontsize=11, color=INK)
    return sheet.figure


def _draw_image(axes: Axes, values: Floats, texts: Mapping[str, str], across: str) -> AxesImage:
    image = axes.imshow(values, cmap=_DIVERGING, vmin=-1, vmax=1, aspect="auto", interpolation="none")
    _name_axes(axes, across, texts["figure.positions.position"])
    return image


def _draw_curves(axes: Axes, table: Floats, dimensions: Sequence[int], texts: Mapping[str, str]) -> None:
    for order, dimension in enumerate(dimensions):
        name = texts["figure.positions.curve"].format(dimension=dimension)
        color = LINE_COLORS[order % len(LINE_COLORS)]
        axes.plot(table[:, dimension], ".-", color=color, linewidth=1, markersize=3, label=name)
    axes.set_ylim(-1.08, 1.08)
    axes.set_yticks(_TICKS, [number(tick, 1, texts) for tick in _TICKS])
    axes.spines[["top", "right"]].set_visible(False)
    _name_axes(axes, texts["figure.positions.position"], texts["figure.positions.value"])
    if dimensions:
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(0, -0.18),
            ncols=3,
            frameon=False,
            fontsize=7,
            borderaxespad=0,
            labelcolor=INK,
        )


def _draw_scale(
    sheet: Sheet, image: AxesImage, box: tuple[float, float, float, float], name: str, texts: Mapping[str, str]
) -> None:
    bar = sheet.axes(*box)
    colors = sheet.figure.colorbar(image, cax=bar)
    colors.set_ticks(_TICKS, labels=[number(tick, 1, texts) for tick in _TICKS])
    colors.outline.set_visible(False)
    colors.set_label(name, fontsize=8, color=INK)
    bar.tick_params(labelsize=7, length=2, colors=INK)


def _name_axes(axes: Axes, across: str, down: str) -> None:
    axes.set_xlabel(across, fontsize=8, color=INK)
    axes.set_ylabel(down, fontsize=8, color=INK)
    axes.tick_params(labelsize=7, length=2, colors=INK)
