"""Positional encodings as CSV and JSON. N positions, D d_model, both counted from 0. NumPy only."""

from collections.abc import Sequence

from transformer.trace import Floats
from viz.data_files import READ_MATRIX, csv_text, decimals, digits, json_text
from viz.similarity import similarity
from viz.stamp import APP_VERSION

#: Name and version of the JSON that `positions_json` writes.
FORMAT, VERSION = "headlight-positions", 1


def positions_csv(table: Floats, comments: Sequence[str]) -> str:
    """The table (N, D): a row a position, its number in the column `position`, then a column for each dimension."""
    names = ["position", *map(str, range(table.shape[1]))]
    rows = ([str(position), *numbers] for position, numbers in enumerate(digits(table).tolist()))
    return csv_text([*comments, READ_MATRIX], names, rows)


def positions_json(table: Floats, dimensions: Sequence[int], base: float, title: str) -> str:
    """One JSON object: format, version, title, stamp (no sentence is behind it), and what the page draws.

    `d_model`, `length`, `base`, the `dimensions` of the curves; `table` (N, D); `curves` {dimension, values (N)};
    `similarity` (N, N), the cosines between the table's rows.
    """
    length, d_model = table.shape
    content = {
        "d_model": d_model,
        "length": length,
        "base": base,
        "dimensions": list(dimensions),
        "table": decimals(table),
        "curves": [{"dimension": each, "values": decimals(table[:, each])} for each in dimensions],
        "similarity": decimals(similarity(table)),
    }
    return json_text(FORMAT, VERSION, title, {"app_version": APP_VERSION}, content)
