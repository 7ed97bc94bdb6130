"""Word alignments of the training pairs, by statistics alone: what one cross-attention head is supervised with.

IBM Model 1 (Brown et al. 1993) with the diagonal prior of Dyer et al. (2013), in both directions; a link counts where
both agree. Words written alike on both sides, once on each, are linked without asking: rare names are where such
models fail. Garg et al. (2019) train a head of a Transformer on alignments of this kind.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transformer.training.data import Link, Pair
from transformer.words import core

Integers = NDArray[np.int64]

#: Rounds of expectation-maximization without the diagonal prior, then with it.
_PLAIN_ROUNDS, _DIAGONAL_ROUNDS = 3, 3
#: How strongly words at like relative places attract each other, and the share of words with no counterpart.
_TENSION, _NULL_SHARE = 4.0, 0.08


def align(pairs: Sequence[Pair]) -> list[list[Link]]:
    """For each pair its links (index of a word of the first text, index of a word of the second), sorted.

    Words are what whitespace separates.
    """
    firsts = [[core(word) for word in pair.first.split()] for pair in pairs]
    seconds = [[core(word) for word in pair.second.split()] for pair in pairs]
    forward = _best_links(firsts, seconds)
    backward = [{(i, j) for j, i in links} for links in _best_links(seconds, firsts)]
    both = (there & back for there, back in zip(forward, backward, strict=True))
    return [
        sorted(_with_copies(links, first, second)) for links, first, second in zip(both, firsts, seconds, strict=True)
    ]


def _with_copies(links: set[Link], first: list[str], second: list[str]) -> set[Link]:
    """Words alike on both sides, once on each, belong together and to nothing else."""
    once_first, once_second = (
        {word for word, count in Counter(words).items() if word and count == 1} for words in (first, second)
    )
    copies = {(first.index(word), second.index(word)) for word in once_first & once_second}
    rows, columns = {i for i, _ in copies}, {j for _, j in copies}
    return copies | {(i, j) for i, j in links if i not in rows and j not in columns}


class _Cells(NamedTuple):
    """Every (source word, target word) cell of every pair, flat; those of one target word adjoin. Source -1 is null."""

    pair: Integers
    source: Integers  # index in the sentence
    target: Integers
    entry: Integers  # index of (source word type, target word type) in the translation table
    group: Integers  # which target word of the whole corpus
    flat_prior: NDArray[np.float64]  # every word alike, but for null
    diagonal_prior: NDArray[np.float64]  # words at like relative places attract each other


def _best_links(sources: list[list[str]], targets: list[list[str]]) -> list[set[Link]]:
    """For each target word the source word that most likely gave rise to it, unless null does."""
    cells, source_of_entry = _cells(sources, targets)
    table = np.ones(len(source_of_entry))
    for prior in [cells.flat_prior] * _PLAIN_ROUNDS + [cells.diagonal_prior] * _DIAGONAL_ROUNDS:
        joint = table[cells.entry] * prior
        posterior = joint / np.bincount(cells.group, joint)[cells.group]
        counts = np.bincount(cells.entry, posterior)
        table = counts / np.bincount(source_of_entry, counts)[source_of_entry]
    joint = table[cells.entry] * cells.diagonal_prior
    starts = np.flatnonzero(np.diff(cells.group, prepend=-1))
    best = np.flatnonzero(joint == np.maximum.reduceat(joint, starts)[cells.group])
    first_of_group = np.unique(cells.group[best], return_index=True)[1]
    links: list[set[Link]] = [set() for _ in sources]
    for cell in best[first_of_group]:
        if cells.source[cell] >= 0:
            links[cells.pair[cell]].add((int(cells.source[cell]), int(cells.target[cell])))
    return links


def _cells(sources: list[list[str]], targets: list[list[str]]) -> tuple[_Cells, Integers]:
    """All cells, and for each entry of the translation table its source word type."""
    source_ids, target_ids = _ids(sources), _ids(targets)
    pair, source, target, source_type, target_type, flat, diagonal = [], [], [], [], [], [], []
    for number, (source_row, target_row) in enumerate(zip(source_ids, target_ids, strict=True)):
        n, m = len(source_row), len(target_row)
        places = np.arange(n + 1) - 1  # null first
        pair.append(np.full(m * (n + 1), number))
        source.append(np.tile(places, m))
        target.append(np.repeat(np.arange(m), n + 1))
        source_type.append(np.tile(np.concatenate([[0], source_row]), m))
        target_type.append(np.repeat(target_row, n + 1))
        distance = np.abs((np.arange(m) + 0.5)[:, None] / max(m, 1) - (places + 0.5)[None, :] / max(n, 1))  # (m, n + 1)
        flat.append(_prior(np.ones((m, n + 1))))
        diagonal.append(_prior(np.exp(-_TENSION * distance)))
    width = 1 + max(int(row.max(initial=0)) for row in target_ids)
    keys = np.concatenate(source_type) * width + np.concatenate(target_type)
    entries, entry = np.unique(keys, return_inverse=True)
    places_of_cells = np.concatenate(source)
    cells = _Cells(
        np.concatenate(pair),
        places_of_cells,
        np.concatenate(target),
        entry,
        np.cumsum(places_of_cells == -1) - 1,  # null opens each group
        np.concatenate(flat),
        np.concatenate(diagonal),
    )
    return cells, entries // width


def _prior(nearness: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, n + 1), column 0 for null -> flat probabilities, each row with the share of null and the rest by nearness."""
    prior = nearness.copy()
    prior[:, 0] = 0
    prior *= (1 - _NULL_SHARE) / np.maximum(prior.sum(1, keepdims=True), 1e-9)
    prior[:, 0] = _NULL_SHARE
    return prior.ravel()


def _ids(sentences: list[list[str]]) -> list[Integers]:
    """Words as numbers from 1; 0 is null."""
    numbers: dict[str, int] = {}
    return [
        np.array([numbers.setdefault(word, len(numbers) + 1) for word in words], dtype=np.int64) for words in sentences
    ]
