"""Which word each piece belongs to: the bridge between word alignments and rows and columns of attention."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_SPACE = "\u2581"  # how SentencePiece writes a space


class Word(NamedTuple):
    """A run of letters and digits, and the indices of the pieces that hold any of it."""

    text: str
    pieces: list[int]


def piece_words(surfaces: Sequence[str]) -> list[int]:
    """For each piece the index of the whitespace-separated word it lies in, -1 for one without letter or digit."""
    index = -1
    words = []
    for surface in surfaces:
        index += surface.startswith(_SPACE)
        words.append(index if any(char.isalnum() for char in surface) else -1)
    return words


def words(surfaces: Sequence[str]) -> list[Word]:
    """The words of a text, in order, with their pieces; punctuation belongs to none, special tokens neither."""
    text = "".join(surfaces).replace(_SPACE, " ")
    piece_of = [index for index, surface in enumerate(surfaces) for _ in surface]
    return [
        Word(match.group(), sorted({piece_of[place] for place in range(*match.span())}))
        for match in re.finditer(r"\w+", text)
    ]
