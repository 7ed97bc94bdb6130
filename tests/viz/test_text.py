"""What the page says: both languages say the same things, with the same places to fill in."""

import re
from pathlib import Path

import pytest

from viz.text import LANGUAGES, best_language, texts

ROOT = Path(__file__).resolve().parents[2]


def _places(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


def test_both_languages_have_the_same_keys_and_places() -> None:
    english, spanish = texts("en"), texts("es")
    assert english.keys() == spanish.keys()
    for key, sentence in english.items():
        assert sentence.strip(), key
        assert _places(sentence) == _places(spanish[key]), key


def test_no_key_stands_in_two_files() -> None:
    import json

    for language in LANGUAGES:
        files = sorted((ROOT / "viz" / "text").glob(f"*.{language}.json"))
        keys = [key for path in files for key in json.loads(path.read_text(encoding="utf-8"))]
        assert len(keys) == len(set(keys))


def test_every_key_is_used() -> None:
    """A sentence that nothing shows would be translated for nobody. Keys may be put together: `map.${kind}`."""
    code = "\n".join(
        path.read_text(encoding="utf-8") for pattern in ("*.py", "*.js") for path in (ROOT / "viz").rglob(pattern)
    )
    for key in texts("en"):
        parts = key.split(".")
        stems = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        assert any(f'"{stem}' in code or f"'{stem}" in code or f"`{stem}" in code for stem in stems), key


@pytest.mark.parametrize(
    ("locale", "language"),
    [("es", "es"), ("es-MX", "es"), ("ES-ar", "es"), ("en-GB", "en"), ("fr", "en"), (None, "en")],
)
def test_the_language_follows_the_locale(locale: object, language: str) -> None:
    assert best_language(locale) == language


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(ValueError, match="en, es"):
        texts("fr")
