"""What tests of every kind share: the model that is shipped, loaded once."""

from pathlib import Path

import pytest

from transformer.translator import Translator

ROOT = Path(__file__).resolve().parents[1]
CHECKPOINT = ROOT / "checkpoints" / "es-en"


@pytest.fixture(scope="session")
def translator() -> Translator:
    return Translator.from_pretrained(CHECKPOINT)
