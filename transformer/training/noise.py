"""How people type: the ways in which a source may be sloppy. Each function takes a text and gives it back sloppier."""

import random
import re
import unicodedata
from collections.abc import Callable


def lower_case(text: str) -> str:
    return text.lower()


def without_accents(text: str) -> str:
    """á -> a, ñ -> n, ü -> u."""
    plain = (char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", "".join(plain))


def without_final_punctuation(text: str) -> str:
    return re.sub(r"[.!?…]+$", "", text.rstrip())


def without_opening_marks(text: str) -> str:
    return re.sub("[¿¡]", "", text)


def with_doubled_spaces(text: str) -> str:
    return text.replace(" ", "  ")


NOISES: dict[str, Callable[[str], str]] = {
    "lower case": lower_case,
    "no accents": without_accents,
    "no final punctuation": without_final_punctuation,
    "no opening marks": without_opening_marks,
    "doubled spaces": with_doubled_spaces,
}


def all_noises(text: str) -> str:
    for noise in NOISES.values():
        text = noise(text)
    return text


def some_noises(text: str, rng: random.Random) -> str:
    """Each noise with an even chance."""
    for noise in NOISES.values():
        if rng.random() < 0.5:
            text = noise(text)
    return text
