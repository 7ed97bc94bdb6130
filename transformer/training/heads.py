"""How well each cross-attention head points at what is being copied: the head report of a checkpoint."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transformer.trace import Trace
from transformer.training.data import Pair
from transformer.translator import Translator
from transformer.words import Word, words

#: Whether each head, (L, H), was right, once for each copied word met.
Hits = dict[str, list[NDArray[np.bool_]]]


@dataclass(frozen=True)
class HeadReport:
    """Share of copied words at which a head's largest weight is on the source word; each word type counts once."""

    accuracy: list[list[float]]  # (L, H)
    types: int
    words: int

    def best(self) -> tuple[int, int]:
        """(layer, head), counted from 0."""
        table = np.array(self.accuracy)
        layer, head = np.unravel_index(int(table.argmax()), table.shape)
        return int(layer), int(head)


def head_report(translator: Translator, pairs: Sequence[Pair], columns: tuple[str, str]) -> HeadReport:
    """Both directions of all pairs, the reference taken as the output.

    A copied word is capitalised or a number and occurs once on each side. A head is right if, in the row that writes
    the word's first piece, the columns of the same word in the source weigh more together than those of any other
    word, punctuation mark or special token.
    """
    hits = copied_word_hits(translator, pairs, columns)
    if not hits:
        raise ValueError("no word of these pairs is copied unchanged from one side to the other")
    by_type = np.stack([np.mean(of_type, axis=0) for of_type in hits.values()])  # (types, L, H)
    accuracy = by_type.mean(axis=0).round(4).tolist()
    return HeadReport(accuracy, len(hits), sum(len(of_type) for of_type in hits.values()))


def copied_word_hits(translator: Translator, pairs: Sequence[Pair], columns: tuple[str, str]) -> Hits:
    """Word type -> one (L, H) array for each time that it is copied."""
    hits: Hits = defaultdict(list)
    for pair in pairs:
        for side in (0, 1):
            source, output = pair[side], pair[1 - side]
            if _copied(words_of(source), words_of(output)):
                trace = translator.trace(source, columns[1 - side], forced=output)
                for text, hit in _trace_hits(trace):
                    hits[text].append(hit)
    return dict(hits)


def words_of(text: str) -> list[str]:
    return [word.text for word in words([text])]


def _copied(source: Sequence[str], output: Sequence[str]) -> set[str]:
    """Capitalised words and numbers that occur once on each side."""
    here, there = Counter(source), Counter(output)
    return {word for word, count in here.items() if count == there[word] == 1 and (word[0].isupper() or word.isdigit())}


def _trace_hits(trace: Trace) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    source = words(trace.source_surfaces)
    output = words(_output_surfaces(trace))
    copied = _copied([word.text for word in source], [word.text for word in output])
    grouped, groups = _grouped(trace.cross, source)  # (L, H, T, groups)
    for word in output:
        if word.text in copied:
            row = grouped[:, :, word.pieces[0]]  # (L, H, groups)
            yield word.text, row.argmax(-1) == groups[word.text]


def _grouped(weights: NDArray[np.float32], source: list[Word]) -> tuple[NDArray[np.float32], dict[str, int]]:
    """Columns (.., S) added up by word, every other column alone; and where each word stands."""
    group_of = np.full(weights.shape[-1], -1)
    for index, word in enumerate(source):
        for piece in word.pieces:
            if group_of[piece] < 0:
                group_of[piece] = index
    alone = np.flatnonzero(group_of < 0)
    group_of[alone] = len(source) + np.arange(len(alone))
    groups = np.zeros((*weights.shape[:-1], len(source) + len(alone)), dtype=np.float32)
    for column, group in enumerate(group_of):
        groups[..., group] += weights[..., column]
    return groups, {word.text: index for index, word in enumerate(source)}


def _output_surfaces(trace: Trace) -> list[str]:
    return ["" if token in trace.special_tokens else token for token in trace.output_tokens]
