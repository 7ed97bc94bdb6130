"""What every file from the page says of itself: the app's version, the model, the sentence and its output."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformer.trace import Trace

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
#: Of the app; pyproject.toml is the one place where it is written.
APP_VERSION: str = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"]


@dataclass(frozen=True)
class Stamp:
    """What a file was made of."""

    model: str
    source_text: str
    target: str
    text: str
    beam_size: int
    #: The output was prescribed, not chosen by the model.
    forced: bool
    app_version: str = APP_VERSION

    @classmethod
    def of(cls, trace: Trace) -> "Stamp":
        return cls(trace.model, trace.source_text, trace.target, trace.text, trace.beam_size, trace.forced)

    def line(self, texts: Mapping[str, str]) -> str:
        """All of it in one line. texts: `viz.text.texts` of one language."""
        one_line = {name: " ".join(str(value).split()) for name, value in self.values().items()}
        return texts["stamp.forced" if self.forced else "stamp.chosen"].format(**one_line)

    def values(self) -> dict[str, Any]:
        """Name -> value, for JSON."""
        return asdict(self)
