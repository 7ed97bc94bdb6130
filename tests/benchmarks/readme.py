"""The place in a Markdown file that the benchmark writes, and tables for it."""

import re
from collections.abc import Sequence
from pathlib import Path


def write_between_markers(path: Path, text: str) -> None:
    """Replace what stands between the two bench comments. Raises ValueError where they are not there, once each."""
    old = path.read_text(encoding="utf-8")
    new, count = re.subn(
        r"(<!-- bench -->\n).*?(<!-- /bench -->)", lambda m: f"{m[1]}{text}\n{m[2]}", old, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{path} must have <!-- bench --> and <!-- /bench --> once, each on a line of its own")
    path.write_text(new, encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; columns after the first are numbers, and stand at the right."""
    line = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))
