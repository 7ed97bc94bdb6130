"""From source ids to output ids: greedy and beam search, with a key/value cache, in batches, after a forced prefix.

B batch, K beam size, V target vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer.masks import pad
from transformer.model import Transformer
from transformer.repetition import goes_in_circles, most_copies

#: How many tokens a translation may be longer than its source (section 6.1).
EXTRA_LENGTH = 50
#: Exponent of the length normalisation of beam search (section 6.1, after Wu et al. 2016, equation 14).
LENGTH_PENALTY = 0.6


@dataclass(frozen=True)
class Hypothesis:
    """One output: its ids, the end included if it was reached, and the natural log of each one's probability."""

    ids: list[int]
    log_probs: list[float]
    #: False: the model did not end it; it was cut at the length limit, or because it went in circles.
    finished: bool

    @property
    def score(self) -> float:
        """What beam search ranks by: the sum of log-probabilities over ((5 + length) / 6) ** 0.6."""
        return sum(self.log_probs) / length_penalty(len(self.ids))


def length_penalty(length: int) -> float:
    return ((5 + length) / 6) ** LENGTH_PENALTY


@dataclass(frozen=True)
class Decoder:
    """Decodes with one model; start_id opens every target, end_id closes it. Padding is never an output."""

    model: Transformer
    start_id: int
    end_id: int

    def __call__(
        self, sources: Sequence[Sequence[int]], beam_size: int = 1, prefixes: Sequence[Sequence[int]] | None = None
    ) -> list[Hypothesis]:
        """One hypothesis a source, the best one found: 1 is greedy search, more is beam search.

        prefixes: ids that each output must begin with; the length limit cuts them too. Beam search keeps beam_size
        hypotheses and stops when as many have ended, so it is exact where beam_size is at least the number of
        possible outputs. An output that goes in circles is cut (`transformer.repetition`). Raises ValueError for an
        empty batch or source, one longer than max_length, a beam_size below 1, and prefixes that are not one a source,
        or hold padding or what is no id.
        """
        if not sources or not all(sources):
            raise ValueError("there is nothing to decode: every source needs at least one token")
        if beam_size < 1:
            raise ValueError(f"beam_size must be at least 1, not {beam_size}")
        forced = self._prefixes(prefixes, len(sources))
        source = pad(sources, self.model.config.padding_id, self.model.projection.weight.device)  # (B, S)
        bounds = [
            _Bounds(prefix, min(self.model.config.max_length, len(ids) + EXTRA_LENGTH), most_copies(ids))
            for ids, prefix in zip(sources, forced, strict=True)
        ]
        was_training = self.model.training
        if was_training:
            self.model.eval()
        with torch.inference_mode():
            hypotheses = (
                self._greedy(source, bounds) if beam_size == 1 else self._beam_search(source, bounds, beam_size)
            )
        if was_training:
            self.model.train()
        return hypotheses

    def _prefixes(self, prefixes: Sequence[Sequence[int]] | None, count: int) -> Sequence[Sequence[int]]:
        if prefixes is None:
            return [[]] * count
        if len(prefixes) != count:
            raise ValueError(f"{len(prefixes)} prefixes for {count} sources")
        config = self.model.config
        if not all(0 <= id_ < config.target_vocab_size and id_ != config.padding_id for ids in prefixes for id_ in ids):
            raise ValueError("prefixes must hold ids of the target vocabulary, padding not among them")
        return prefixes

    def _greedy(self, source: Tensor, bounds: Sequence["_Bounds"]) -> list[Hypothesis]:
        encoded = self.model.encode(source)
        cache = self.model.decoder.start_cache(encoded.memory)
        memory_mask = None if bool(encoded.mask.all()) else encoded.mask  # (B, 1, S)
        ids: list[list[int]] = [[] for _ in bounds]
        log_probs: list[list[float]] = [[] for _ in bounds]
        open_rows = list(range(len(bounds)))
        last = source.new_full((len(bounds),), self.start_id)  # (B)
        for position in range(max(bound.limit for bound in bounds)):
            log_prob = self.model.decode_next(last, position, cache, memory_mask).float().log_softmax(-1)  # (B, V)
            self._forbid(log_prob, [bounds[row].prefix for row in open_rows], position)
            best, last = log_prob.max(-1)  # (B)
            for row, id_, value in zip(open_rows, last.tolist(), best.tolist(), strict=True):
                ids[row].append(id_)
                log_probs[row].append(value)
            keep = [
                i for i, row in enumerate(open_rows) if ids[row][-1] != self.end_id and not bounds[row].cut(ids[row])
            ]
            if not keep:
                break
            if len(keep) < len(open_rows):
                open_rows = [open_rows[i] for i in keep]
                rows = torch.tensor(keep, device=source.device)
                last = last[rows]
                memory_mask = None if memory_mask is None else memory_mask[rows]
                for layer in cache:
                    layer.select(rows)
        return [Hypothesis(i, p, i[-1] == self.end_id) for i, p in zip(ids, log_probs, strict=True)]

    def _beam_search(self, source: Tensor, bounds: Sequence["_Bounds"], size: int) -> list[Hypothesis]:
        encoded = self.model.encode(source)
        cache = self.model.decoder.start_cache(encoded.memory)
        memory_mask = encoded.mask  # (R, 1, S): one row a growing hypothesis, those of one sentence side by side
        beams = [_Beam(size, bound, self.end_id) for bound in bounds]
        last = source.new_full((len(beams),), self.start_id)  # (R)
        for position in range(max(bound.limit for bound in bounds)):
            log_prob = self.model.decode_next(last, position, cache, memory_mask).float().log_softmax(-1)  # (R, V)
            row_prefixes = [beam.bounds.prefix for beam in beams for _ in beam.growing]
            self._forbid(log_prob, row_prefixes, position)
            best = log_prob.topk(min(2 * size, log_prob.size(1)), dim=1)  # (R, 2 K)
            steps = list(zip(best.indices.tolist(), best.values.tolist(), strict=True))
            parents: list[int] = []
            first = 0
            for beam in beams:
                count = len(beam.growing)
                parents += [first + parent for parent in beam.grow(steps[first : first + count])]
                first += count
            if not parents:
                break
            rows = torch.tensor(parents, device=source.device)
            memory_mask = memory_mask[rows]
            for layer in cache:
                layer.select(rows)
            last = torch.tensor([growing.ids[-1] for beam in beams for growing in beam.growing], device=source.device)
        return [beam.best() for beam in beams]

    def _forbid(self, log_prob: Tensor, prefixes: Sequence[Sequence[int]], position: int) -> None:
        """Put -inf into log_prob (R, V) for padding, and for all but the id that a row's prefix prescribes here."""
        log_prob[:, self.model.config.padding_id] = -math.inf
        for row, prefix in zip(log_prob, prefixes, strict=True):
            if position < len(prefix):
                row[: prefix[position]] = -math.inf
                row[prefix[position] + 1 :] = -math.inf


@dataclass(frozen=True)
class _Bounds:
    """What one output must begin with, and where it is cut if the model does not end it before."""

    prefix: Sequence[int]
    limit: int
    #: How often the source writes a phrase, one copy behind the other.
    source_copies: int

    def cut(self, ids: Sequence[int]) -> bool:
        circling = len(ids) >= len(self.prefix) and goes_in_circles(ids, self.source_copies)
        return circling or len(ids) == self.limit


class _Beam:
    """The search for one sentence: the hypotheses that still grow, best first, and those that ended or were cut."""

    def __init__(self, size: int, bounds: _Bounds, end_id: int) -> None:
        self.size, self.bounds, self.end_id = size, bounds, end_id
        self.growing = [Hypothesis([], [], False)]
        self.ended: list[Hypothesis] = []
        self.circling: list[Hypothesis] = []

    def grow(self, steps: Sequence[tuple[list[int], list[float]]]) -> list[int]:
        """Extend by one token. steps: for each growing hypothesis its likeliest next ids and their log-probabilities.

        Candidates that end among the best `size` have ended; the best `size` of the others go on growing. Returns for
        each of these which hypothesis it grew from.
        """
        totals = [sum(hypothesis.log_probs) for hypothesis in self.growing]
        candidates = [
            (total + value, index, id_, value)
            for index, (total, (ids, values)) in enumerate(zip(totals, steps, strict=True))
            for id_, value in zip(ids, values, strict=True)
            if value > -math.inf
        ]
        best = sorted(candidates, key=lambda candidate: candidate[0], reverse=True)[: 2 * self.size]
        going_on: list[tuple[int, Hypothesis]] = []
        for rank, (_, index, id_, value) in enumerate(best):
            parent = self.growing[index]
            hypothesis = Hypothesis([*parent.ids, id_], [*parent.log_probs, value], id_ == self.end_id)
            if hypothesis.finished:
                self.ended += [hypothesis] * (rank < self.size)
            else:
                going_on.append((index, hypothesis))
        going_on = going_on[: self.size]
        if going_on and len(going_on[0][1].ids) == self.bounds.limit:
            self.ended += [hypothesis for _, hypothesis in going_on]
            going_on = []
        circling = [hypothesis for _, hypothesis in going_on if self.bounds.cut(hypothesis.ids)]
        self.circling += circling
        going_on = [(index, hypothesis) for index, hypothesis in going_on if hypothesis not in circling]
        if len(self.ended) >= self.size:
            going_on = []
        self.growing = [hypothesis for _, hypothesis in going_on]
        return [index for index, _ in going_on]

    def best(self) -> Hypothesis:
        """Repetition is likely, and search seeks what is likely: what went in circles counts only without another."""
        return max(self.ended or self.circling, key=lambda hypothesis: hypothesis.score)
