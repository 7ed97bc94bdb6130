"""README and model cards: each relative link leads to a file, and the front matter is what a Space starts from."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "checkpoints").glob("*/README.md"))]


def relative_links(page: str) -> list[str]:
    """Targets of Markdown links and images and of HTML's src and href, less those with a scheme or only an anchor."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    patterns = (
        r"\]\(\s*<?([^)\s>]+)",  # [words](target "title"), ![words](target)
        r"^\[[^\]]+\]:\s*<?([^\s>]+)",  # [name]: target
        r"\b(?:src|href)\s*=\s*[\"']([^\"']+)",
    )
    targets = [target for pattern in patterns for target in re.findall(pattern, prose, re.MULTILINE)]
    paths = [target.partition("#")[0] for target in targets if not re.match(r"[a-z][a-z0-9+.-]*:|//", target)]
    return [path for path in paths if path]


def front_matter() -> dict[str, str]:
    """Keys and values of the YAML head, values as they are written; lists are left out."""
    head = re.match(r"---\n(.*?)\n---\n", README.read_text(encoding="utf-8"), re.DOTALL)
    assert head, "README.md does not begin with a front matter"
    return dict(re.findall(r"^(\w+): (.+)$", head[1], re.MULTILINE))


def test_relative_links_are_found_and_others_are_not() -> None:
    page = (
        "[a](docs/a.md#part) [![b](b.png)](https://example.org/b) [c](#c) [d](mailto:d@example.org)\n"
        '<img alt="e" src="e.svg"> [f](f.md "title")\n\n[g]: g.md\n\n```\n[h](h.md)\n```\n'
    )
    assert sorted(relative_links(page)) == ["b.png", "docs/a.md", "e.svg", "f.md", "g.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_of_the_repository(page: Path) -> None:
    for target in relative_links(page.read_text(encoding="utf-8")):
        found = (page.parent / target).resolve()
        assert found.is_relative_to(ROOT), f"{target} leads out of the repository"
        assert found.is_file(), f"{target} is no file"


def test_readme_shows_the_page_and_leads_to_the_model_card() -> None:
    links = relative_links(README.read_text(encoding="utf-8"))
    assert {"docs/screenshot.png", "checkpoints/es-en/README.md"} <= set(links)


def test_front_matter_has_what_a_space_needs() -> None:
    values = front_matter()
    needed = {"title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version", "app_file", "license"}
    assert needed - values.keys() == set()
    assert values["sdk"] == "gradio"
    assert (ROOT / values["app_file"]).is_file()
    # Without quotes YAML reads 3.10 as the number 3.1.
    assert re.fullmatch(r"(['\"])3\.\d+\1", values["python_version"])


def test_the_space_runs_the_gradio_that_was_tested() -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert re.findall(r"^gradio==(\S+)", constraints, re.MULTILINE) == [front_matter()["sdk_version"]]
