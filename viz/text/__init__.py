"""What the page says: NAME.LANGUAGE.json files of key -> sentence with {placeholders}, one set a language."""

import json
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "es")


@cache
def texts(language: str) -> dict[str, str]:
    """All sentences of one language. Raises ValueError for a language that has none."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    merged: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob(f"*.{language}.json")):
        merged |= json.loads(path.read_text(encoding="utf-8"))
    return merged


def best_language(locale: object) -> str:
    """The language for a browser's locale: "es-MX" -> "es"; English for one that we do not speak."""
    language = str(locale).lower().split("-")[0]
    return language if language in LANGUAGES else "en"
