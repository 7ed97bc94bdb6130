"""CITATION.cff says what the project says elsewhere, and has what its format asks for."""

import tomllib

import yaml

from tests.conftest import ROOT
from viz.stamp import APP_VERSION


def test_the_citation_is_whole_and_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()  # all that version 1.2.0 requires
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == project["version"] == APP_VERSION
    assert citation["license"] == project["license"]
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= reference.keys()
