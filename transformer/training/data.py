"""From two-column files to batches of ids: what one epoch shows the model, drawn anew for each epoch."""

import random
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from transformer.tokenizer import Tokenizer
from transformer.training.noise import some_noises
from transformer.training.settings import TrainingSettings


class Pair(NamedTuple):
    """One line of a data file: two texts that translate each other, in the order of the file's columns."""

    first: str
    second: str


class Example(NamedTuple):
    """One thing to learn: source ids, `<2language> ... </s>`, and target ids, `<s> ... </s>`."""

    source: list[int]
    target: list[int]


Batch = list[Example]

#: Smoothness of SentencePiece sampling where a source is split by chance.
_SAMPLING = 0.2
#: Batches of like lengths are cut from pools of this many examples, so that their company changes each epoch.
_POOL = 20_000


def read_pairs(path: str | Path) -> list[Pair]:
    """Read a UTF-8 file of lines `text<TAB>text`. Raises ValueError that names file, line and fault."""
    path = Path(path)
    pairs = []
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        try:
            columns = raw.decode("utf-8").rstrip("\r").split("\t")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}, line {number}: this is not UTF-8 ({error.reason})") from error
        if len(columns) != 2:
            raise ValueError(f"{path}, line {number}: two columns with one tab between are wanted, not {len(columns)}")
        if not all(column.strip() for column in columns):
            raise ValueError(f"{path}, line {number}: one of the two columns is empty")
        pairs.append(Pair(*(unicodedata.normalize("NFC", column) for column in columns)))
    if not pairs:
        raise ValueError(f"{path} holds no pair")
    return pairs


def epoch_batches(pairs: Sequence[Pair], tokenizer: Tokenizer, settings: TrainingSettings, epoch: int) -> list[Batch]:
    """All pairs in both directions, made sloppy, joined and split as the settings say; the same for the same epoch."""
    rng = random.Random(f"{settings.seed} {epoch}")
    examples = []
    for pair in pairs:
        group = [pair]
        if rng.random() < settings.joined:
            group += rng.choices(pairs, k=rng.choice((1, 2)))
        for source_column in (0, 1):
            source = " ".join(member[source_column] for member in group)
            target = " ".join(member[1 - source_column] for member in group)
            examples.append(_example(source, target, settings.columns[1 - source_column], tokenizer, settings, rng))
    fitting = [e for e in examples if max(len(e.source), len(e.target) - 1) <= settings.model.max_length]
    return _batches(fitting, settings.batch_tokens, rng)


def _example(
    source: str, target: str, language: str, tokenizer: Tokenizer, settings: TrainingSettings, rng: random.Random
) -> Example:
    if rng.random() < settings.noise:
        source = some_noises(source, rng)
    sampling = _SAMPLING if rng.random() < settings.sampled else 0.0
    source_ids = [tokenizer.tag_id(language), *tokenizer.encode(source, sampling), tokenizer.end_id]
    return Example(source_ids, [tokenizer.start_id, *tokenizer.encode(target), tokenizer.end_id])


def _batches(examples: list[Example], batch_tokens: int, rng: random.Random) -> list[Batch]:
    rng.shuffle(examples)
    batches: list[Batch] = []
    for start in range(0, len(examples), _POOL):
        pool = sorted(examples[start : start + _POOL], key=lambda e: (len(e.target), len(e.source)))
        batch: Batch = []
        longest = 0
        for example in pool:
            longest = max(longest, len(example.source), len(example.target) - 1)
            if batch and longest * (len(batch) + 1) > batch_tokens:
                batches.append(batch)
                batch, longest = [], max(len(example.source), len(example.target) - 1)
            batch.append(example)
        batches.append(batch)
    rng.shuffle(batches)
    return batches
