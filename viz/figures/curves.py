"""The curves of a checkpoint's training, as `curves.json` holds them, for its model card.

    python -m viz.figures.curves checkpoints/es-en

writes curves.svg beside curves.json; `python -m transformer.training card` then shows it.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from viz.figures.files import figure_bytes

CURVES, FIGURE = "curves.json", "curves.svg"

Curves = dict[str, Any]

_INK, _GRID = "#222222", "#dddddd"
#: Okabe and Ito's blue, vermilion and green: told apart by the colour-blind too.
_COLORS = ("#0072b2", "#d55e00", "#009e73")


def runs_of(curves: Curves) -> list[Curves]:
    """The curves of all runs, the first one first: each may hold those of the run that it went on from."""
    earlier = curves.get("started_from")
    return [*(runs_of(earlier) if earlier else []), curves]


def curves_figure(curves: Curves) -> Figure:
    """Loss in nats a token above, BLEU on valid.tsv below, over the optimizer steps of all runs one behind the other.

    Raises KeyError for what is no curves.json.
    """
    figure = Figure(figsize=(7.2, 5.0), facecolor="white", layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    start = 0
    for number, run in enumerate(runs_of(curves)):
        _draw_run(above, below, run, start, names=number == 0)
        if number:
            for axes in (above, below):
                axes.axvline(start, color="#888888", linewidth=0.8, linestyle=(0, (4, 3)))
        start += run["training"][-1]["step"]
    above.set_title("Training loss", loc="left", fontsize=10, color=_INK)
    above.set_ylabel("nats a token", fontsize=9, color=_INK)
    below.set_title("Greedy BLEU on valid.tsv", loc="left", fontsize=10, color=_INK)
    below.set_ylabel("BLEU", fontsize=9, color=_INK)
    below.set_xlabel("optimizer steps; a dashed line: the next run begins", fontsize=9, color=_INK)
    below.legend(loc="lower right", fontsize=8, frameon=False, labelcolor=_INK)
    for axes in (above, below):
        axes.grid(color=_GRID, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, colors=_INK)
        axes.set_xlim(0, start)
    return figure


def _draw_run(above: Axes, below: Axes, run: Curves, start: int, names: bool) -> None:
    """names: this run's lines name the directions in the legend."""
    losses = run["training"]
    above.plot([start + p["step"] for p in losses], [p["loss"] for p in losses], color=_COLORS[2], linewidth=1.2)
    points = run["validation"]
    steps = [start + point["step"] for point in points]
    directions = [name.removeprefix("bleu_") for name in points[0] if name.startswith("bleu_")] if points else []
    for color, direction in zip(_COLORS, directions, strict=False):
        bleu = [point[f"bleu_{direction}"] for point in points]
        label = direction if names else None
        below.plot(steps, bleu, color=color, linewidth=1.4, marker="o", markersize=3, label=label)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m viz.figures.curves", description="Draw a checkpoint's curves.")
    parser.add_argument("checkpoint", type=Path, help=f"folder with {CURVES}; {FIGURE} is written beside it")
    folder = parser.parse_args(arguments).checkpoint
    try:
        curves = json.loads((folder / CURVES).read_text(encoding="utf-8"))
        figure = curves_figure(curves)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        parser.error(f"{folder / CURVES} does not hold the curves of a training: {error!r}")
    (folder / FIGURE).write_bytes(figure_bytes(figure, "svg"))
    print(f"written to {folder / FIGURE}")


if __name__ == "__main__":
    main()
