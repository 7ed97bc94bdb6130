"""A view's numbers as files: CSV for tables, JSON for programs. All digits that float32 has. NumPy only."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from viz.stamp import Stamp
from viz.view import View

#: Name and version of the JSON that `view_json` writes.
FORMAT, VERSION = "headlight-view", 1

#: How pandas reads the CSV. Without the last two, a piece like "nan" would be no label but a missing one.
READ_CSV = 'pandas.read_csv(file, comment="#", index_col=0, keep_default_na=False, na_values=[""])'


def view_csv(view: View, title: str, stamp: str) -> str:
    """A row of column labels, then each row of the view; all labels in quotes.

    Its columns: `row`, what looks; for decoder and cross maps `writes`, what the row's steps wrote; where special
    tokens are hidden `hidden_share`, the part of the row's weight that lay on them; then one for each label. Forbidden
    cells and blank rows are empty. The first lines are comments: title, stamp, and how to read the file.
    """
    heads = ["row"]
    heads += ["writes"] if view.outputs is not None else []
    heads += ["hidden_share"] if view.hidden_share is not None else []
    heads += [piece.label for piece in view.columns]
    comments = [f"# {' '.join(comment.split())}" for comment in (title, stamp, READ_CSV)]
    return "\n".join([*comments, ",".join(map(_quoted, heads)), *map(",".join, _rows(view))]) + "\n"


def _rows(view: View) -> Iterator[list[str]]:
    for place, piece in enumerate(view.rows):
        cells = [_quoted(piece.label)]
        if view.outputs is not None:
            cells.append(_quoted(view.outputs[place].label))
        if view.hidden_share is not None:
            cells.append(str(view.hidden_share[place]))
        numbers = zip(view.weights[place], view.drawn[place], strict=True)
        yield cells + [str(weight) if drawn else "" for weight, drawn in numbers]


def _quoted(label: str) -> str:
    return f'"{label.replace(chr(34), 2 * chr(34))}"'


def view_json(view: View, title: str, stamp: Stamp) -> str:
    """One JSON object: format, version, stamp, title, selection, and the view.

    `rows`, `columns`, `outputs`: {token, surface, special} each; `weights` (Q, K) with null where the mask forbids and
    in blank rows; `mask` (Q, K); `hidden_share` (Q) or null; `blank` (Q); `scale`.
    """
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "stamp": stamp.values(),
        "selection": asdict(view.selection),
        "rows": [piece._asdict() for piece in view.rows],
        "columns": [piece._asdict() for piece in view.columns],
        "outputs": view.outputs and [piece._asdict() for piece in view.outputs],
        "weights": [
            [_decimal(weight) if drawn else None for weight, drawn in zip(*row, strict=True)]
            for row in zip(view.weights, view.drawn, strict=True)
        ],
        "mask": view.mask.tolist(),
        "hidden_share": None if view.hidden_share is None else [_decimal(share) for share in view.hidden_share],
        "blank": view.blank.tolist(),
        "scale": view.scale,
    }
    return json.dumps(content, ensure_ascii=False)


def _decimal(value: np.float32) -> float:
    """The number with the fewest digits that gives back the same float32."""
    return float(str(value))
