"""One step's row of every head as CSV and JSON. NumPy only."""

from collections.abc import Iterator, Sequence

import numpy as np

from viz.data_files import READ_TABLE, csv_text, decimals, digits, json_text
from viz.stamp import Stamp
from viz.step import Step

#: Name and version of the JSON that `step_json` writes.
FORMAT, VERSION = "headlight-step", 1


def step_csv(step: Step, comments: Sequence[str]) -> str:
    """A row for each head: `layer` and `head`, both from 0, then its weight on each source token.

    The first lines are the comments, and how to read the file.
    """
    names = ["layer", "head", *(piece.label for piece in step.columns)]
    return csv_text([*comments, READ_TABLE], names, _rows(step))


def _rows(step: Step) -> Iterator[list[str]]:
    for layer, heads in enumerate(digits(step.weights).tolist()):
        for head, weights in enumerate(heads):
            yield [str(layer), str(head), *weights]


def step_json(step: Step, title: str, stamp: Stamp) -> str:
    """One JSON object: format, version, title, stamp, and the step.

    `step`, from 0, and `count` of all; `seen` (step + 1), what had gone in, `taken` and `columns` (S): {token, surface,
    special} each; `log_prob` of what was taken; `candidates`, best first, with their `log_prob`; `weights` (L, H, S).
    """
    log_prob, *of_candidates = decimals(np.array([step.log_prob, *(value for _, value in step.candidates)]))
    candidates = zip(step.candidates, of_candidates, strict=True)
    content = {
        "step": step.place,
        "count": step.count,
        "seen": [piece._asdict() for piece in step.seen],
        "taken": step.taken._asdict(),
        "log_prob": log_prob,
        "candidates": [piece._asdict() | {"log_prob": value} for (piece, _), value in candidates],
        "columns": [piece._asdict() for piece in step.columns],
        "weights": decimals(step.weights),
    }
    return json_text(FORMAT, VERSION, title, stamp.values(), content)
