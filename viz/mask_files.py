"""Masks as CSV and JSON. NumPy only."""

from collections.abc import Iterator, Sequence

from viz.board.payload import MaskPanel
from viz.data_files import READ_TABLE, csv_text, json_text, quoted, truth
from viz.stamp import Stamp

#: Name and version of the JSON that `masks_json` writes.
FORMAT, VERSION = "headlight-masks", 1


def masks_csv(panels: Sequence[MaskPanel], comments: Sequence[str]) -> str:
    """A row for each cell of each panel: `mask`, its name; `row`, its number, and `row_token`, what looks; `column`
    and `column_token`, what is looked at; `allowed`, true or false. Numbers count from 0.
    """
    names = ("mask", "row", "row_token", "column", "column_token", "allowed")
    return csv_text([*comments, READ_TABLE], names, (cell for panel in panels for cell in _cells(panel)))


def _cells(panel: MaskPanel) -> Iterator[list[str]]:
    columns = [[str(place), quoted(token)] for place, token in enumerate(panel.column_tokens)]
    for row, (token, allowed) in enumerate(zip(panel.row_tokens, panel.allowed.tolist(), strict=True)):
        for column, may in zip(columns, allowed, strict=True):
            yield [quoted(_name(panel)), str(row), quoted(token), *column, truth(may)]


def masks_json(panels: Sequence[MaskPanel], title: str, stamp: Stamp) -> str:
    """One JSON object: format, version, title, stamp, and `masks`: {mask, rows (Q), columns (K), allowed (Q, K)}."""
    masks = [
        {
            "mask": _name(panel),
            "rows": panel.row_tokens,
            "columns": panel.column_tokens,
            "allowed": panel.allowed.tolist(),
        }
        for panel in panels
    ]
    return json_text(FORMAT, VERSION, title, stamp.values(), {"masks": masks})


def _name(panel: MaskPanel) -> str:
    """The same in every language: "decoder_causal"."""
    return panel.id.removeprefix("mask.")
