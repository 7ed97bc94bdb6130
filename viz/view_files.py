"""The numbers of views as CSV and JSON: one as a matrix, several in one long table. NumPy only."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from viz.data_files import READ_MATRIX, READ_TABLE, csv_text, decimals, digits, json_text, quoted, truth
from viz.stamp import Stamp
from viz.view import View

#: Name and version of the JSON that `view_json` and `views_json` write.
FORMAT, FORMAT_OF_SEVERAL, VERSION = "headlight-view", "headlight-views", 1


def view_csv(view: View, comments: Sequence[str]) -> str:
    """A row of column labels, then each row of the view; all labels in quotes.

    Its columns: `row`, what looks; for decoder and cross maps `writes`, what the row's steps wrote; where special
    tokens are hidden `hidden_share`, the part of the row's weight that lay on them; then one for each label. Forbidden
    cells and blank rows are empty. The first lines are the comments, and how to read the file.
    """
    names = ["row", *_names_beside(view), *(piece.label for piece in view.columns)]
    weights = _weights(view)
    rows = (
        [quoted(piece.label), *beside, *weights[place]]
        for place, (piece, beside) in enumerate(zip(view.rows, _beside(view), strict=True))
    )
    return csv_text([*comments, READ_MATRIX], names, rows)


def views_csv(views: Sequence[View], comments: Sequence[str]) -> str:
    """A row for each cell of each view, in the order of the views. All are of one map, seen in one way.

    Its columns: `layer` and `head`; `row`, its number, and `row_token`, what looks; `writes` and `hidden_share` as in
    `view_csv`; `column`, its number, and `column_token`, what is looked at; `allowed`, what the mask says; `weight`,
    empty where that forbids and in blank rows. All numbers count from 0.
    """
    names = ["layer", "head", "row", "row_token", *_names_beside(views[0])]
    names += ["column", "column_token", "allowed", "weight"]
    return csv_text([*comments, READ_TABLE], names, (cell for view in views for cell in _cells(view)))


def _cells(view: View) -> Iterator[list[str]]:
    of_view = [str(view.selection.layer), str(view.selection.head)]
    columns = [[str(place), quoted(piece.label)] for place, piece in enumerate(view.columns)]
    allowed, weights = view.mask.tolist(), _weights(view)
    for row, (piece, beside) in enumerate(zip(view.rows, _beside(view), strict=True)):
        of_row = [*of_view, str(row), quoted(piece.label), *beside]
        for place, column in enumerate(columns):
            yield [*of_row, *column, truth(allowed[row][place]), weights[row][place]]


def _names_beside(view: View) -> list[str]:
    """Of what is told of a row besides what looks."""
    return ["writes"] * (view.outputs is not None) + ["hidden_share"] * (view.hidden_share is not None)


def _beside(view: View) -> list[list[str]]:
    """For each row the cells that `_names_beside` names."""
    outputs = [] if view.outputs is None else [[quoted(piece.label) for piece in view.outputs]]
    shares = [] if view.hidden_share is None else [digits(view.hidden_share).tolist()]
    return [[told[row] for told in (*outputs, *shares)] for row in range(len(view.rows))]


def _weights(view: View) -> list[list[str]]:
    """(Q, K) as cells, empty where nothing is drawn."""
    rows = zip(digits(view.weights).tolist(), view.drawn.tolist(), strict=True)
    return [[weight if drawn else "" for weight, drawn in zip(*row, strict=True)] for row in rows]


def view_json(view: View, title: str, stamp: Stamp) -> str:
    """One JSON object: format, version, title, stamp, selection, and the view.

    `rows`, `columns`, `outputs`: {token, surface, special} each; `weights` (Q, K) with null where the mask forbids and
    in blank rows; `mask` (Q, K); `hidden_share` (Q) or null; `blank` (Q); `scale`. Layers and heads count from 0.
    """
    return json_text(FORMAT, VERSION, title, stamp.values(), _content(view))


def views_json(views: Sequence[View], title: str, stamp: Stamp) -> str:
    """One JSON object: format, version, title, stamp, and `views`, each with selection and fields as in `view_json`."""
    return json_text(FORMAT_OF_SEVERAL, VERSION, title, stamp.values(), {"views": [_content(view) for view in views]})


def _content(view: View) -> dict[str, Any]:
    rows = zip(decimals(view.weights), view.drawn.tolist(), strict=True)
    return {
        "selection": asdict(view.selection),
        "rows": [piece._asdict() for piece in view.rows],
        "columns": [piece._asdict() for piece in view.columns],
        "outputs": view.outputs and [piece._asdict() for piece in view.outputs],
        "weights": [[weight if drawn else None for weight, drawn in zip(*row, strict=True)] for row in rows],
        "mask": view.mask.tolist(),
        "hidden_share": None if view.hidden_share is None else decimals(view.hidden_share),
        "blank": view.blank.tolist(),
        "scale": view.scale,
    }
