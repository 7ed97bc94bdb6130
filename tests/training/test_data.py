import hashlib
import json
import unicodedata
from pathlib import Path
from typing import cast

import pytest

from tests.training.conftest import made_up_pairs, tiny_settings
from transformer.tokenizer import Tokenizer
from transformer.training.data import Batch, Pair, epoch_batches, read_pairs


class LetterTokenizer:
    """A letter is a piece, so that what is drawn depends on no version of SentencePiece."""

    start_id, end_id = 2, 3

    as_source = Tokenizer.as_source

    def tag_id(self, language: str) -> int:
        return {"en": 4, "es": 5}[language]

    def encode(self, text: str, sampling: float = 0.0) -> list[int]:
        return [ord(char) for char in text]


LETTERS = cast(Tokenizer, LetterTokenizer())


def texts(batch: Batch) -> list[tuple[int, str, str]]:
    """(tag, source, target) of each example."""
    return [(e.source[0], "".join(map(chr, e.source[1:-1])), "".join(map(chr, e.target[1:-1]))) for e in batch]


def test_reads_pairs_in_order_as_nfc(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes("One.\tUno.\r\nMay\u0301be.\tQuizá.\n".encode())
    assert read_pairs(path) == [Pair("One.", "Uno."), Pair(unicodedata.normalize("NFC", "May\u0301be."), "Quizá.")]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"a\tb\nonly one column\n", "line 2: two columns with one tab between are wanted, not 1"),
        (b"a\tb\tc\n", "line 1: two columns with one tab between are wanted, not 3"),
        (b"a\tb\n\nc\td\n", "line 2: two columns"),
        (b"a\tb\nc\t  \n", "line 2: one of the two columns is empty"),
        (b"a\tb\nc\td\n\xff\xfe\td\n", "line 3: this is not UTF-8"),
        (b"", "holds no pair"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=fault) as raised:
        read_pairs(path)
    assert str(path) in str(raised.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"valid\.tsv cannot be read"):
        read_pairs(tmp_path / "valid.tsv")


def test_every_pair_is_met_both_ways_once_an_epoch() -> None:
    pairs = made_up_pairs(50)
    settings = tiny_settings(noise=0.0, joined=0.0, sampled=0.0)
    batches = epoch_batches(pairs, LETTERS, settings, 0)
    wanted = [(4, pair.second, pair.first) for pair in pairs] + [(5, pair.first, pair.second) for pair in pairs]
    assert sorted(text for batch in batches for text in texts(batch)) == sorted(wanted)


def test_batches_keep_to_their_size() -> None:
    batches = epoch_batches(made_up_pairs(50), LETTERS, tiny_settings(sampled=0.0), 0)
    longest = [max(max(len(e.source), len(e.target) - 1) for e in batch) for batch in batches]
    assert all(n * len(batch) <= 120 or len(batch) == 1 for n, batch in zip(longest, batches, strict=True))


def test_too_long_pairs_are_left_out() -> None:
    pairs = [Pair("a" * 10, "b" * 10), Pair("c" * 62, "d"), Pair("e" * 63, "f"), Pair("g", "h" * 64)]
    settings = tiny_settings(noise=0.0, joined=0.0, sampled=0.0, max_length=64)
    kept = {source for batch in epoch_batches(pairs, LETTERS, settings, 0) for _, source, _ in texts(batch)}
    assert kept == {"a" * 10, "b" * 10, "c" * 62, "d", "f"}  # a target has no tag, so one more fits


def test_joined_pairs_join_both_sides_alike() -> None:
    pairs = [Pair(f"a{i}", f"b{i}") for i in range(30)]
    settings = tiny_settings(noise=0.0, sampled=0.0, joined=1.0)
    examples = [text for batch in epoch_batches(pairs, LETTERS, settings, 0) for text in texts(batch)]
    assert len(examples) == 60
    for _, source, target in examples:
        assert source.translate(str.maketrans("ab", "ba")) == target
    assert {len(source.split()) for _, source, _ in examples} == {2, 3}


def test_noise_touches_sources_only() -> None:
    settings = tiny_settings(joined=0.0, sampled=0.0, noise=1.0)
    pairs = made_up_pairs(50)
    examples = [text for batch in epoch_batches(pairs, LETTERS, settings, 0) for text in texts(batch)]
    clean = {text for pair in pairs for text in pair}
    assert all(target in clean for _, _, target in examples)
    assert sum(source not in clean for _, source, _ in examples) > 80


def test_epochs_differ_and_repeat(tokenizer: Tokenizer) -> None:
    """With SentencePiece sampling too: what another process, or a resumed one, draws must be the same."""
    pairs, settings = made_up_pairs(50), tiny_settings(sampled=1.0)
    first = epoch_batches(pairs, tokenizer, settings, 0)
    assert epoch_batches(pairs, tokenizer, settings, 1) != first
    assert epoch_batches(pairs, tokenizer, settings, 0) == first
    assert epoch_batches(pairs, tokenizer, tiny_settings(sampled=1.0, seed=2), 0) != first
    plain = epoch_batches(pairs, tokenizer, tiny_settings(sampled=0.0), 0)
    length, plain_length = (sum(len(e.source) for batch in each for e in batch) for each in (first, plain))
    assert length > 1.05 * plain_length


def test_what_is_drawn_never_changes() -> None:
    """Checkpoints are reproduced from their training.json: if this fails, all published ones cannot be any more."""
    settings = tiny_settings(noise=0.3, joined=0.2, sampled=0.0, batch_tokens=300, max_length=128)
    drawn = [texts(batch) for epoch in range(2) for batch in epoch_batches(made_up_pairs(40), LETTERS, settings, epoch)]
    assert (
        hashlib.sha256(json.dumps(drawn).encode()).hexdigest()
        == "52c443de2ab9ace89fe476b7d7bd5fc20ed84c7d4e49c5e1eb366438baf4c8be"
    )
