"""What counts as going in circles, on lists whose answer is plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer.repetition import LONGEST_PHRASE, copies_at_end, goes_in_circles, most_copies


@pytest.mark.parametrize(
    ("ids", "phrase", "copies"),
    [([1, 2, 1, 2, 1, 2], 2, 3), ([2, 1, 2, 1, 2], 2, 2), ([7, 7, 7], 1, 3), ([1, 2, 3], 1, 1), ([1, 2, 3], 3, 1)],
)
def test_copies_at_the_end_are_counted(ids: list[int], phrase: int, copies: int) -> None:
    assert copies_at_end(ids, phrase) == copies


def test_most_copies_are_found_anywhere() -> None:
    assert most_copies([]) == 1
    assert most_copies([1, 2, 3]) == 1
    assert most_copies([9, 4, 5, 4, 5, 4, 5, 8]) == 3


@pytest.mark.parametrize(
    ("ids", "source_copies", "circles"),
    [
        ([3] * 8, 1, False),
        ([3] * 9, 1, True),
        ([3] * 9, 8, False),
        ([3] * 10, 8, True),
        ([1, 2] * 4, 1, False),
        ([1, 2] * 5, 1, True),
        ([5, 6, 7, *[1, 2, 3] * 5], 1, True),
        ([*[1, 2, 3] * 5, 4], 1, False),
        ([*[1, 2, 3] * 5, 1], 1, True),
        (list(range(100)), 1, False),
        ([], 1, False),
    ],
)
def test_a_phrase_may_stand_four_times_and_once_more_than_in_the_source(
    ids: list[int], source_copies: int, circles: bool
) -> None:
    assert goes_in_circles(ids, source_copies) == circles


@given(
    st.lists(st.integers(0, 3), max_size=20),
    st.lists(st.integers(0, 9), min_size=1, max_size=LONGEST_PHRASE),
    st.integers(1, 6),
)
def test_whatever_phrase_is_repeated_is_noticed(before: list[int], phrase: list[int], source_copies: int) -> None:
    copies = max(source_copies + 2, 5, 9 // len(phrase) + 1)
    assert goes_in_circles(before + phrase * copies, source_copies)
