"""Outputs that go in circles: a small model that is lost may write the same phrase until the length limit stops it."""

from collections.abc import Sequence

#: Longest phrase, in tokens, that is looked for.
LONGEST_PHRASE = 16
#: Copies of a phrase, one behind the other, and tokens of them all, that any output may have.
_FREE_COPIES, _FREE_TOKENS = 4, 8


def copies_at_end(ids: Sequence[int], phrase: int) -> int:
    """How often the last `phrase` ids stand at the end, one copy behind the other; 1 for no repetition."""
    last = ids[len(ids) - phrase :]
    copies = 1
    while len(ids) >= (copies + 1) * phrase:
        end = len(ids) - copies * phrase
        if ids[end - phrase : end] != last:
            break
        copies += 1
    return copies


def most_copies(ids: Sequence[int]) -> int:
    """The most copies of one phrase, one behind the other, anywhere; 1 for no repetition."""
    most = 1
    for phrase in range(1, min(LONGEST_PHRASE, len(ids) // 2) + 1):
        same = longest = 0  # ids in a row that equal the one a phrase before
        for before, id_ in zip(ids, ids[phrase:], strict=False):
            same = same + 1 if id_ == before else 0
            longest = max(longest, same)
        most = max(most, 1 + longest // phrase)
    return most


def goes_in_circles(ids: Sequence[int], source_copies: int) -> bool:
    """Whether the end of an output repeats itself more than it may.

    It may write a phrase four times (one of a single token eight times), and once more than the source, which writes
    one `source_copies` times: "no, no, no, no, no!" and "aaaaaaaaaaaa" are texts too.
    """
    for phrase in range(1, min(LONGEST_PHRASE, len(ids) // 2) + 1):
        if ids[-1] != ids[-1 - phrase]:
            continue
        copies = copies_at_end(ids, phrase)
        if copies > max(_FREE_COPIES, source_copies + 1) and copies * phrase > _FREE_TOKENS:
            return True
    return False
