"""Which pieces make a word."""

import pytest

from transformer.words import word_groups


@pytest.mark.parametrize(
    ("surfaces", "groups"),
    [
        (["", "▁Me", "▁estu", "diar", ".", ""], [[0], [1], [2, 3], [4], [5]]),
        (["▁", "¿", "D", "ónde", "▁está", "?"], [[0], [1], [2, 3], [4], [5]]),
        (["▁don", "'", "t", "▁well", "-", "known"], [[0, 1, 2], [3, 4, 5]]),
        (["▁'", "No", "'", ","], [[0], [1], [2], [3]]),
        (["▁uno,dos", "▁tres"], [[0], [1]]),
        ([], []),
    ],
)
def test_pieces_of_a_word_are_together_and_all_others_alone(surfaces: list[str], groups: list[list[int]]) -> None:
    assert word_groups(surfaces) == groups
