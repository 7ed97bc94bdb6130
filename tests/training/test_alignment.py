"""Word alignments: what statistics find on a small corpus of our own, and what is linked without asking."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from tests.training.conftest import tiny_settings
from transformer.masks import pad
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.alignment import align
from transformer.training.data import Pair, epoch_batches
from transformer.training.loop import Objective, Run
from transformer.words import Word, core, piece_words, words

MakeRun = Callable[..., Run]

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


def test_links_become_rows_and_columns_of_pieces(tokenizer: Tokenizer, pairs: list[Pair]) -> None:
    """Each aligned row writes a piece of a word whose partner's pieces are its columns, in both directions."""
    settings = tiny_settings(noise=0.0, joined=0.5, sampled=0.0, batch_tokens=10_000)
    links = align(pairs)
    (batch,) = epoch_batches(pairs, tokenizer, settings, 0, links)
    linked = {
        (core(pair[side].split()[link[side]]), core(pair[1 - side].split()[link[1 - side]]))
        for pair, of_pair in zip(pairs, links, strict=True)
        for link in of_pair
        for side in (0, 1)
    }
    rows = 0
    for example in batch:
        for row, columns, _ in example.aligned:
            rows += 1
            source = _word_around(tokenizer, example.source, columns[0])
            written = _word_around(tokenizer, example.target, row + 1)
            assert (source, written) in linked
    assert rows > 2 * len(pairs)


def _word_around(tokenizer: Tokenizer, ids: list[int], place: int) -> str:
    surfaces = [tokenizer.surface(id_) for id_ in ids]
    start = max(i for i in range(place + 1) if surfaces[i].startswith("▁"))
    end = next((i for i in range(place + 1, len(ids)) if not surfaces[i] or surfaces[i].startswith("▁")), len(ids))
    return core("".join(surfaces[start:end]))


def test_links_are_given_up_when_noise_drops_a_word(tokenizer: Tokenizer) -> None:
    settings = tiny_settings(noise=1.0, joined=0.0, sampled=0.0)
    pairs = [Pair("Ana sees the hat .", "Ana ve el sombrero .")] * 40
    for batch in epoch_batches(pairs, tokenizer, settings, 0, [[(0, 0), (3, 3)]] * 40):
        for example in batch:
            assert bool(example.aligned) == (tokenizer.decode(example.source).split()[-1] == ".")


def test_names_and_numbers_that_are_copied_count_as_the_settings_say(tokenizer: Tokenizer) -> None:
    settings = tiny_settings(noise=1.0, joined=0.0, sampled=0.0, copied=7.0)
    pair = Pair("Ana sees 12 red hats", "Ana ve 12 red sombreros")
    links = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
    ((to_spanish, to_english),) = epoch_batches([pair], tokenizer, replace(settings, batch_tokens=500), 0, [links])
    for example in (to_spanish, to_english):
        words = piece_words([tokenizer.surface(id_) for id_ in example.target[1:]])
        counts = {words[row]: weight for row, _, weight in example.aligned}
        assert counts == {0: 7.0, 1: 1.0, 2: 7.0, 3: 1.0, 4: 1.0}  # "red" is alike too, but no name


def test_the_objective_is_the_share_that_the_aligned_head_misses(tokenizer: Tokenizer) -> None:
    settings = tiny_settings(num_decoder_layers=3)
    model = Transformer(settings.model).eval()
    source, target = torch.tensor([[5, 9, 8, 3]]), torch.tensor([[2, 7, 6, 3]])
    aligned = torch.zeros(1, 3, 4)
    aligned[0, 0, 1] = aligned[0, 0, 2] = 1
    aligned[0, 2, 3] = 5
    _, missed = Objective(model, 0.1, (1, 0))(source, target, aligned)
    weights = model.decode(target[:, :-1], model.encode(source)).attentions[1].cross_attention.weights[0, 0]
    expected = -(weights[0, 1] + weights[0, 2]).log() - 5 * weights[2, 3].log()
    torch.testing.assert_close(missed, expected, atol=1e-4, rtol=0)


def test_training_with_alignment_makes_that_head_point(
    tmp_path: Path, make_run: MakeRun, pairs: list[Pair], tokenizer: Tokenizer
) -> None:
    """The head looks at the linked words when it was trained to, and another head of the same model does not."""
    settings = tiny_settings(steps=120, batch_tokens=600, validate_every=120, alignment=1.0, noise=0.0, sampled=0.0)
    run = make_run(tmp_path, settings)
    run.train(pairs, pairs[:2])
    (batch,) = epoch_batches(pairs, tokenizer, replace(settings, joined=0.0, batch_tokens=10_000), 0, align(pairs))
    source, target = pad([e.source for e in batch], 0), pad([e.target for e in batch], 0)
    model = run.model.eval().requires_grad_(False)
    cross = model.decode(target[:, :-1], model.encode(source)).attentions[0].cross_attention.weights  # (B, H, T, S)
    shares = [
        float(
            torch.stack(
                [cross[i, head, row, columns].sum() for i, e in enumerate(batch) for row, columns, _ in e.aligned]
            ).mean()
        )
        for head in range(cross.size(1))
    ]
    assert shares[0] > 0.8
    assert max(shares[1:]) < shares[0] - 0.2
