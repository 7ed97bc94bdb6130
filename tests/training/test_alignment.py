"""Word alignments: what statistics find on a small corpus of our own, and what is linked without asking."""

from transformer.training.alignment import align, core
from transformer.training.data import Pair
from transformer.training.words import Word, piece_words, words

_NOUNS = {"cat": "gato", "dog": "perro", "bird": "pájaro", "house": "coche"}
_VERBS = {"sees": "mira", "wants": "quiere", "has": "tiene"}


def _corpus() -> list[Pair]:
    """The A VERB the B. -> El A VERB el B.: every noun with every verb and every other noun."""
    return [
        Pair(f"The {a} {verb} the {b}.", f"El {_NOUNS[a]} {_VERBS[verb]} el {_NOUNS[b]}.")
        for a in _NOUNS
        for b in _NOUNS
        if a != b
        for verb in _VERBS
    ]


def test_words_that_always_meet_are_linked() -> None:
    links = align(_corpus())
    for pair, found in zip(_corpus(), links, strict=True):
        assert {(1, 1), (2, 2), (4, 4)} <= set(found), pair
        assert all(abs(i - j) <= 3 for i, j in found)


def test_word_order_that_differs_is_found() -> None:
    adjectives = {"red": "rojo", "black": "negro", "old": "viejo", "big": "grande"}
    pairs = [
        Pair(f"a {adjective} {noun}", f"un {_NOUNS[noun]} {adjectives[adjective]}")
        for adjective in adjectives
        for noun in _NOUNS
    ]
    for links in align(pairs):
        assert {(1, 2), (2, 1)} <= set(links)


def test_copied_words_are_linked_however_rare() -> None:
    pairs = [*_corpus(), Pair("Zorblax has the cat.", "El gato lo tiene Zorblax.")]
    links = align(pairs)[-1]
    assert (0, 4) in links
    assert [j for i, j in links if i == 0] == [4]
    assert [i for i, j in links if j == 4] == [0]


def test_a_word_that_occurs_twice_is_not_taken_for_a_copy() -> None:
    links = align([*_corpus(), Pair("Bo Bo", "Bo")])[-1]
    assert len(links) <= 1


def test_core_drops_punctuation_and_case() -> None:
    assert core("¿Dónde?") == "dónde"
    assert core("...") == ""


def test_pieces_belong_to_the_word_that_whitespace_separates() -> None:
    assert piece_words(["▁", "¿", "Est", "ás", "▁bien", "?", "▁", "1", "2"]) == [-1, -1, 0, 0, 1, -1, -1, 2, 2]


def test_words_know_their_pieces() -> None:
    assert words(["", "▁Don", "'", "t", "▁go", "▁", "1", "2", ".", ""]) == [
        Word("Don", [1]),
        Word("t", [3]),
        Word("go", [4]),
        Word("12", [6, 7]),
    ]
