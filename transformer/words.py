"""Which word each piece belongs to: the bridge between word alignments and rows and columns of attention."""

import re
from collections.abc import Sequence
from typing import NamedTuple

SPACE = "\u2581"  # how SentencePiece writes a space


class Word(NamedTuple):
    """A run of letters and digits, and the indices of the pieces that hold any of it."""

    text: str
    pieces: list[int]


def core(word: str) -> str:
    """A whitespace-separated word without punctuation and case, for comparing. May be empty."""
    return "".join(char for char in word if char.isalnum()).lower()


def piece_words(surfaces: Sequence[str]) -> list[int]:
    """For each piece the index of the whitespace-separated word it lies in, -1 for one without letter or digit."""
    index = -1
    words = []
    for surface in surfaces:
        index += surface.startswith(SPACE)
        words.append(index if any(char.isalnum() for char in surface) else -1)
    return words


def words(surfaces: Sequence[str]) -> list[Word]:
    """The words of a text, in order, with their pieces; punctuation belongs to none, special tokens neither."""
    return _matches(r"\w+", surfaces)


def _matches(pattern: str, surfaces: Sequence[str]) -> list[Word]:
    text = "".join(surfaces).replace(SPACE, " ")
    piece_of = [index for index, surface in enumerate(surfaces) for _ in surface]
    return [
        Word(match.group(), sorted({piece_of[place] for place in range(*match.span())}))
        for match in re.finditer(pattern, text)
    ]


def word_groups(surfaces: Sequence[str]) -> list[list[int]]:
    """The indices of all pieces, grouped: those of one word together, every other piece alone; in order.

    "don't" and "well-known" are one word here, as people read them. A piece that holds parts of two words goes with the
    first of them.
    """
    group_of: dict[int, int] = {}
    for number, word in enumerate(_matches(r"\w+(?:['’-]\w+)*", surfaces)):
        for piece in word.pieces:
            group_of.setdefault(piece, number)
    groups: list[list[int]] = []
    for index in range(len(surfaces)):
        if index and index in group_of and group_of[index] == group_of.get(index - 1):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups
