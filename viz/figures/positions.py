"""Positional encodings as Plotly figures that people zoom: the table, single dimensions, similarity.

N positions, D d_model. Positions and dimensions count from 0, as in the paper's formula (section 3.5).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.style import LINE_COLORS
from viz.similarity import similarity

Floats = NDArray[np.float32]

_DIVERGING = "RdBu_r"
# One figure serves the light and the dark page: nothing behind it, and greys that both can bear.
_INK, _LINES = "#767676", "rgba(128,128,128,0.25)"
_HEIGHT = 420  # pixels
# Plotly's buttons have the strip at the top to themselves.
_MARGIN = {"l": 56, "r": 8, "t": 36, "b": 48}
# There is nothing to select, "reset" shows all as "autoscale" does, and the page saves files itself.
_UNUSED_BUTTONS = ["select2d", "lasso2d", "autoScale2d", "toImage"]
# Below the axis and its title, in parts of the plot's height, whatever number of rows the legend takes.
_LEGEND = {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.2, "yanchor": "top"}


def positions_heatmap(table: Floats, texts: Mapping[str, str]) -> go.Figure:
    """The table (N, D): a row a position, a column a dimension, coloured from -1 to 1."""
    hover = texts["figure.positions.value_hover"].format(position="%{y}", dimension="%{x}", value="%{z:.4f}")
    figure = go.Figure(_heatmap(table, texts["figure.positions.value"], hover))
    _style(figure, texts, texts["figure.positions.dimension"], texts["figure.positions.position"])
    return figure.update_yaxes(autorange="reversed")


def positions_curves(table: Floats, dimensions: Sequence[int], texts: Mapping[str, str]) -> go.Figure:
    """Columns of the table (N, D) as curves over position; no dimensions leave its axes alone."""
    positions = np.arange(len(table), dtype=np.float32)
    figure = go.Figure()
    for order, dimension in enumerate(dimensions):
        hover = texts["figure.positions.value_hover"].format(position="%{x}", dimension=dimension, value="%{y:.4f}")
        figure.add_scatter(
            x=positions,
            y=np.ascontiguousarray(table[:, dimension], dtype=np.float32),
            mode="lines+markers",
            marker={"size": 5},
            line={"width": 2, "color": LINE_COLORS[order % len(LINE_COLORS)]},
            name=texts["figure.positions.curve"].format(dimension=dimension),
            hovertemplate=f"{hover}<extra></extra>",
        )
    _style(figure, texts, texts["figure.positions.position"], texts["figure.positions.value"])
    figure.update_xaxes(range=[-0.5, len(table) - 0.5], title_standoff=4)
    figure.update_yaxes(range=[-1.08, 1.08])
    return figure.update_layout(showlegend=True, legend=_LEGEND)


def positions_similarity(table: Floats, texts: Mapping[str, str]) -> go.Figure:
    """`similarity` of the table (N, D) as a picture, coloured from -1 to 1."""
    hover = texts["figure.positions.similarity_hover"].format(position="%{y}", other="%{x}", value="%{z:.4f}")
    figure = go.Figure(_heatmap(similarity(table), texts["figure.positions.similarity"], hover))
    _style(figure, texts, texts["figure.positions.other"], texts["figure.positions.position"])
    figure.update_xaxes(constrain="domain")
    return figure.update_yaxes(autorange="reversed", scaleanchor="x", constrain="domain")


def _heatmap(values: Floats, scale: str, hover: str) -> go.Heatmap:
    return go.Heatmap(
        z=values.astype(np.float32, copy=False),
        zmin=-1,
        zmax=1,
        zmid=0,
        colorscale=_DIVERGING,
        hovertemplate=f"{hover}<extra></extra>",
        colorbar={"title": {"text": scale}, "thickness": 12, "outlinewidth": 0, "tickvals": [-1, -0.5, 0, 0.5, 1]},
    )


def _style(figure: go.Figure, texts: Mapping[str, str], x_title: str, y_title: str) -> None:
    axis = {"gridcolor": _LINES, "zerolinecolor": _LINES, "linecolor": _LINES}
    figure.update_layout(
        template="none",
        autosize=True,
        height=_HEIGHT,
        margin=_MARGIN,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": _INK, "size": 13},
        modebar={"remove": _UNUSED_BUTTONS},
        separators=texts["figure.positions.separators"],
        xaxis=axis | {"title": {"text": x_title}},
        yaxis=axis | {"title": {"text": y_title}},
    )
