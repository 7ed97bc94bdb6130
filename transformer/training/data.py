"""From two-column files to batches of ids: what one epoch shows the model, drawn anew for each epoch."""

import random
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from transformer.tokenizer import Tokenizer
from transformer.training.noise import some_noises
from transformer.training.sampling import SplitSampler
from transformer.training.settings import TrainingSettings
from transformer.words import core, piece_words


class Pair(NamedTuple):
    """One line of a data file: two texts that translate each other, in the order of the file's columns."""

    first: str
    second: str


class AlignedRow(NamedTuple):
    """A row of cross-attention, by the output it writes, whose word's place in the source is known."""

    row: int
    columns: list[int]
    #: How much it counts: more than 1 for a word that is copied, if the settings say so.
    weight: float


class Example(NamedTuple):
    """One thing to learn: source ids, `<2language> ... </s>`, and target ids, `<s> ... </s>`."""

    source: list[int]
    target: list[int]
    aligned: list[AlignedRow]


Batch = list[Example]

#: Index of a word of a pair's first text, and of the word of the second that it belongs to; whitespace parts words.
Link = tuple[int, int]

#: Exponent of the likelihood where a source is split by chance.
_SMOOTHNESS = 0.2
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


def epoch_batches(
    pairs: Sequence[Pair],
    tokenizer: Tokenizer,
    settings: TrainingSettings,
    epoch: int,
    links: Sequence[Sequence[Link]] | None = None,
) -> list[Batch]:
    """All pairs in both directions, made sloppy, joined and split as the settings say; the same for the same epoch.

    Examples longer than the model's max_length are left out. Every published training.json relies on what is drawn
    here, and in which order: a change would make its curve another one. links: each pair's word alignment.
    """
    rng = random.Random(f"{settings.seed} {epoch}")
    split = _splitter(tokenizer, settings, epoch)
    examples = []
    for index in range(len(pairs)):
        group = [index]
        if rng.random() < settings.joined:
            group += rng.choices(range(len(pairs)), k=rng.choice((1, 2)))
        joined = Pair(*(" ".join(pairs[member][column] for member in group) for column in (0, 1)))
        joined_links = _joined_links(pairs, links, group) if links is not None else []
        examples += [_example(joined, column, joined_links, tokenizer, split, settings, rng) for column in (0, 1)]
    fitting = [e for e in examples if max(len(e.source), len(e.target) - 1) <= settings.model.max_length]
    return _batches(fitting, settings.batch_tokens, rng)


def _splitter(tokenizer: Tokenizer, settings: TrainingSettings, epoch: int) -> Callable[[str], list[int]]:
    """Splits by chance, with a generator of its own: what it draws moves nothing else."""
    if not settings.sampled:
        return tokenizer.encode
    rng = random.Random(f"{settings.seed} {epoch} splits")
    sampler = SplitSampler(tokenizer, _SMOOTHNESS)
    return lambda text: sampler(text, rng)


def _joined_links(pairs: Sequence[Pair], links: Sequence[Sequence[Link]], group: list[int]) -> list[Link]:
    """The links of the members, each moved behind the words of those before it."""
    moved: list[Link] = []
    first_words = second_words = 0
    for member in group:
        moved += [(first + first_words, second + second_words) for first, second in links[member]]
        first_words += len(pairs[member].first.split())
        second_words += len(pairs[member].second.split())
    return moved


def _example(
    pair: Pair,
    source_column: int,
    links: list[Link],
    tokenizer: Tokenizer,
    split: Callable[[str], list[int]],
    settings: TrainingSettings,
    rng: random.Random,
) -> Example:
    source, target = pair[source_column], pair[1 - source_column]
    clean_words = len(source.split())
    if rng.random() < settings.noise:
        source = some_noises(source, rng)
    encode = split if rng.random() < settings.sampled else tokenizer.encode
    source_ids = tokenizer.as_source(encode(source), settings.columns[1 - source_column])
    target_ids = [tokenizer.start_id, *tokenizer.encode(target), tokenizer.end_id]
    if len(source.split()) != clean_words:  # a word of punctuation alone was dropped: the links no longer count right
        links = []
    directed = links if source_column == 0 else [(second, first) for first, second in links]
    counts = _counts_of_words(pair[source_column], target, directed, settings.copied)
    return Example(source_ids, target_ids, _aligned(tokenizer, source_ids, target_ids[1:], directed, counts))


def _counts_of_words(source: str, target: str, links: list[Link], copied: float) -> dict[int, float]:
    """Output word -> how much it counts, for names and numbers that stand in both texts alike."""
    source_words, output_words = source.split(), target.split()
    return {
        output: copied
        for there, output in links
        if (word := core(output_words[output])) == core(source_words[there])
        and (word.isdigit() or any(char.isupper() for char in output_words[output]))
    }


def _aligned(
    tokenizer: Tokenizer, source_ids: list[int], output_ids: list[int], links: list[Link], counts: dict[int, float]
) -> list[AlignedRow]:
    """Word links (source word, output word) -> rows of outputs and their columns of sources, in pieces."""
    if not links:
        return []
    columns: dict[int, list[int]] = {}
    for column, word in enumerate(piece_words([tokenizer.surface(id_) for id_ in source_ids])):
        columns.setdefault(word, []).append(column)
    wanted: dict[int, list[int]] = {}
    for source_word, output_word in links:
        wanted.setdefault(output_word, []).extend(columns.get(source_word, []))
    rows = enumerate(piece_words([tokenizer.surface(id_) for id_ in output_ids]))
    return [AlignedRow(row, wanted[word], counts.get(word, 1.0)) for row, word in rows if wanted.get(word)]


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
