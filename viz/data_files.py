"""What all files of numbers share: CSV for tables, JSON for programs. All digits that float32 has. NumPy only.

docs/files.md tells readers what is in them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transformer.trace import Floats

#: How pandas reads a CSV. Without the last two, a piece like "nan" would be no label but a missing one.
READ_TABLE = 'pandas.read_csv(file, comment="#", keep_default_na=False, na_values=[""])'
#: The same for one whose first column names the rows.
READ_MATRIX = 'pandas.read_csv(file, comment="#", index_col=0, keep_default_na=False, na_values=[""])'


def csv_text(comments: Sequence[str], columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Comments, the names of the columns, then the rows, whose cells come as they are to be written."""
    told = [f"# {' '.join(comment.split())}" for comment in comments]
    return "\n".join([*told, ",".join(map(quoted, columns)), *map(",".join, rows)]) + "\n"


def quoted(label: str) -> str:
    """A label as a cell: in quotes, so that it may hold commas and lines."""
    return f'"{label.replace(chr(34), 2 * chr(34))}"'


def truth(value: bool) -> str:
    """As JSON writes it, and pandas and R read it."""
    return "true" if value else "false"


def json_text(kind: str, version: int, title: str, stamp: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    """One JSON object: format, version, title, stamp, and the content's fields."""
    heading = {"format": kind, "version": version, "title": title, "stamp": dict(stamp)}
    return json.dumps(heading | dict(content), ensure_ascii=False)


def digits(values: Floats) -> NDArray[np.str_]:
    """Each number in the fewest digits that give back the same float32."""
    return values.astype(np.float32).astype(np.str_)


def decimals(values: Floats) -> Any:
    """`digits` as numbers, in nested lists."""
    return digits(values).astype(np.float64).tolist()
