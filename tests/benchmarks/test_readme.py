"""Only the place between the markers is written, a README without them is refused, and a table is one."""

from pathlib import Path

import pytest

from tests.benchmarks.readme import table, write_between_markers


def test_only_what_stands_between_the_markers_is_replaced(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# é\n\n<!-- bench -->\nold\nlines\n<!-- /bench -->\n\nend\n", encoding="utf-8")
    for text in ("| a \\1 |\n| b |", "| c |"):
        write_between_markers(readme, text)
        expected = f"# é\n\n<!-- bench -->\n{text}\n<!-- /bench -->\n\nend\n"
        assert readme.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("text", ["", "<!-- bench -->\n", "<!-- bench -->\n<!-- /bench -->\n" * 2])
def test_a_readme_without_its_markers_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(text)
    with pytest.raises(ValueError, match="must have"):
        write_between_markers(readme, "new")
    assert readme.read_text() == text


def test_a_table_has_a_line_for_each_row_and_numbers_at_the_right() -> None:
    assert table(("a", "b"), [("1", "2 ms"), ("3", "4 ms")]).splitlines() == [
        "| a | b |",
        "| --- | ---: |",
        "| 1 | 2 ms |",
        "| 3 | 4 ms |",
    ]
