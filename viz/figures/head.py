"""One attention head as a heatmap for papers and slides. Lengths are in inches, font sizes in points.

Q queries (rows), K keys (columns).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from transformer.trace import AttentionMap

#: The colour map of the board in the page.
COLORS = "viridis"
_FORBIDDEN: dict[str, Any] = {"facecolor": "#ededed", "edgecolor": "#b0b0b0", "hatch": "////", "linewidth": 0.0}
_INK = "#222222"
_LONGEST_LABEL = 24  # characters
_BAR_WIDTH, _BAR_HEIGHT = 1.9, 0.1


def head_figure(attention: AttentionMap, texts: Mapping[str, str]) -> Figure:
    """Weights (Q, K) as colours from 0 to 1; forbidden cells are hatched. texts: `viz.text.texts` of one language.

    Rows are queries, columns are keys. Decoder and cross maps name at the right what each row's step wrote.
    """
    layout = _Layout.of(attention)
    figure = Figure(figsize=(layout.width, layout.height), facecolor="white")
    axes = figure.add_axes(layout.box(layout.left, layout.bottom, layout.heat_width, layout.heat_height))
    mesh = _draw_cells(axes, attention, layout)
    _label_axes(axes, attention, texts, layout)
    _draw_legend(figure, mesh, texts, layout, has_forbidden=not attention.mask.all())
    title = texts["figure.head.title"].format(
        map=texts[f"figure.head.map.{attention.kind}"], layer=attention.layer + 1, head=attention.head + 1
    )
    axes.set_title(title, loc="left", fontsize=layout.font + 2, color=_INK, pad=8)
    return figure


@dataclass(frozen=True)
class _Layout:
    """Where things go, so that a cell has the same size in both directions and no label meets another."""

    cell: float
    font: float
    left: float
    right: float
    top: float
    bottom: float
    heat_width: float
    heat_height: float

    @classmethod
    def of(cls, attention: AttentionMap) -> "_Layout":
        rows, columns = attention.weights.shape
        cell = min(0.4, max(0.11, 5.5 / max(rows, columns)))
        font = min(9.0, 50 * cell)
        line = 2.2 * font / 72
        return cls(
            cell=cell,
            font=font,
            left=_widest(attention.query_tokens, font) + line,
            right=_widest(attention.output_tokens, font) + line if attention.output_tokens else 0.1,
            top=_widest(attention.key_tokens, font) + 2 * line,
            bottom=0.75,
            heat_width=columns * cell,
            heat_height=rows * cell,
        )

    @property
    def width(self) -> float:
        return self.left + max(self.heat_width + self.right, 2 * _BAR_WIDTH)

    @property
    def height(self) -> float:
        return self.bottom + self.heat_height + self.top

    def box(self, left: float, bottom: float, width: float, height: float) -> tuple[float, float, float, float]:
        """Inches -> the fractions of the figure that Matplotlib wants."""
        return left / self.width, bottom / self.height, width / self.width, height / self.height


def _draw_cells(axes: Axes, attention: AttentionMap, layout: _Layout) -> QuadMesh:
    rows, columns = attention.weights.shape
    axes.add_patch(Rectangle((0, 0), columns, rows, zorder=0, **_FORBIDDEN))
    # Vector cells with white joints: sharp at any size in an SVG, where a picture of pixels would be smoothed.
    mesh = axes.pcolormesh(
        np.ma.masked_array(attention.weights, ~attention.mask),
        cmap=COLORS,
        vmin=0,
        vmax=1,
        edgecolors="white",
        linewidth=1.2 * layout.cell,
    )
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.spines[:].set_visible(False)
    return mesh


def _label_axes(axes: Axes, attention: AttentionMap, texts: Mapping[str, str], layout: _Layout) -> None:
    rows, columns = attention.weights.shape
    style: dict[str, Any] = {"parse_math": False, "fontsize": layout.font, "color": _INK}
    axes.set_yticks(np.arange(rows) + 0.5, _labels(attention.query_tokens), **style)
    axes.set_xticks(np.arange(columns) + 0.5, _labels(attention.key_tokens), rotation=90, **style)
    axes.set_ylabel(texts[f"figure.head.rows.{attention.kind}"], fontsize=layout.font, color=_INK)
    axes.set_xlabel(texts[f"figure.head.columns.{attention.kind}"], fontsize=layout.font, color=_INK)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    if attention.output_tokens is not None:
        written = axes.secondary_yaxis("right")
        written.set_yticks(np.arange(rows) + 0.5, _labels(attention.output_tokens), **style)
        written.set_ylabel(texts["figure.head.writes"], fontsize=layout.font, color=_INK)
        written.tick_params(length=0)
        written.spines[:].set_visible(False)


def _draw_legend(
    figure: Figure, mesh: QuadMesh, texts: Mapping[str, str], layout: _Layout, has_forbidden: bool
) -> None:
    bar = figure.add_axes(layout.box(layout.left, 0.5, _BAR_WIDTH, _BAR_HEIGHT))
    scale = figure.colorbar(mesh, cax=bar, orientation="horizontal", ticks=[0, 0.25, 0.5, 0.75, 1])
    scale.outline.set_visible(False)
    scale.set_label(texts["figure.head.weight"], fontsize=8, color=_INK)
    bar.tick_params(labelsize=7, length=2, colors=_INK)
    if has_forbidden:
        figure.legend(
            handles=[Patch(label=texts["figure.head.forbidden"], **_FORBIDDEN)],
            loc="upper left",
            bbox_to_anchor=layout.box(layout.left + _BAR_WIDTH + 0.2, 0.5 + _BAR_HEIGHT, 0, 0),
            borderpad=0,
            borderaxespad=0,
            frameon=False,
            fontsize=8,
            labelcolor=_INK,
        )


def _labels(tokens: Sequence[str]) -> list[str]:
    return [_label(token) for token in tokens]


def _label(token: str) -> str:
    """The token as one line that can be read and that XML allows: a control character shows as its number."""
    visible = "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in token)
    return visible if len(visible) <= _LONGEST_LABEL else visible[: _LONGEST_LABEL - 1] + "…"


def _widest(tokens: Sequence[str], font: float) -> float:
    """Room for the longest label; a letter is taken to be 0.62 as wide as the font is high, a Chinese one 1."""
    widths = (sum(1.0 if east_asian_width(char) in "WF" else 0.62 for char in _label(token)) for token in tokens)
    return max(widths, default=0.0) * font / 72
