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

#: How many tokens a translation may be longer than its source (section 6.1).
EXTRA_LENGTH = 50
#: Exponent of the length normalisation of beam search (section 6.1, after Wu et al. 2016, equation 14).
LENGTH_PENALTY = 0.6


@dataclass(frozen=True)
class Hypothesis:
    """One output: its ids, the end included if it was reached, and the natural log of each one's probability."""

    ids: list[int]
    log_probs: list[float]
    #: False: the length limit cut it before the model ended it.
    finished: bool

    @property
    def score(self) -> float:
        """What beam search ranks by: the sum of log-probabilities over ((5 + length) / 6) ** 0.6."""
        return sum(self.log_probs) / length_penalty(len(self.ids))


def length_penalty(length: int) -> float:
    return ((5 + length) / 6) ** LENGTH_PENALTY


@dataclass(frozen=True)
class Decoder:
    """Decodes with one model; start_id opens every target, end_id closes it."""

    model: Transformer
    start_id: int
    end_id: int

    def __call__(
        self, sources: Sequence[Sequence[int]], beam_size: int = 1, prefixes: Sequence[Sequence[int]] | None = None
    ) -> list[Hypothesis]:
        """One hypothesis a source, the best one found. prefixes: ids that each output must begin with.

        Raises ValueError for an empty batch or source, one longer than max_length, and a beam_size below 1.
        """
        if not sources or not all(sources):
            raise ValueError("there is nothing to decode: every source needs at least one token")
        if not 1 <= beam_size <= self.model.config.target_vocab_size:
            raise ValueError(f"beam_size must be at least 1 and at most the vocabulary's size, not {beam_size}")
        device = self.model.projection.weight.device
        source = pad(sources, self.model.config.padding_id, device)  # (B, S)
        limits = [self._limit(len(ids)) for ids in sources]
        forced = [list(ids) for ids in prefixes] if prefixes is not None else [[] for _ in sources]
        search = self._greedy if beam_size == 1 else self._beam
        was_training = self.model.training
        if was_training:
            self.model.eval()
        with torch.inference_mode():
            hypotheses = search(source, limits, forced, beam_size)
        if was_training:
            self.model.train()
        return hypotheses

    def _limit(self, source_length: int) -> int:
        return min(self.model.config.max_length, source_length + EXTRA_LENGTH)

    def _greedy(self, source: Tensor, limits: list[int], prefixes: list[list[int]], _: int) -> list[Hypothesis]:
        encoded = self.model.encode(source)
        cache = self.model.decoder.start_cache(encoded.memory)
        memory_mask = None if bool(encoded.mask.all()) else encoded.mask  # (B, 1, S)
        ids: list[list[int]] = [[] for _ in limits]
        log_probs: list[list[float]] = [[] for _ in limits]
        open_rows = list(range(len(limits)))
        last = source.new_full((len(limits),), self.start_id)  # (B)
        for position in range(max(limits)):
            log_prob = self.model.decode_next(last, position, cache, memory_mask).float().log_softmax(-1)  # (B, V)
            last = _forced(log_prob, [prefixes[row] for row in open_rows], position).argmax(-1)  # (B)
            chosen = log_prob.gather(1, last.unsqueeze(1)).squeeze(1).tolist()
            for row, id_, value in zip(open_rows, last.tolist(), chosen, strict=True):
                ids[row].append(id_)
                log_probs[row].append(value)
            keep = [i for i, row in enumerate(open_rows) if ids[row][-1] != self.end_id and len(ids[row]) < limits[row]]
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

    def _beam(self, source: Tensor, limits: list[int], prefixes: list[list[int]], size: int) -> list[Hypothesis]:
        batch, vocab = source.size(0), self.model.config.target_vocab_size
        encoded = self.model.encode(source)
        cache = self.model.decoder.start_cache(encoded.memory)
        every = torch.arange(batch, device=source.device).repeat_interleave(size)  # (B K): beams of one sentence adjoin
        for layer in cache:
            layer.select(every)
        memory_mask = encoded.mask[every]  # (B K, 1, S)
        beams: list[list[Hypothesis]] = [[Hypothesis([], [], False)] * size for _ in range(batch)]
        done: list[list[Hypothesis]] = [[] for _ in range(batch)]
        totals = source.new_full((batch, size), -math.inf, dtype=torch.float32)  # (B, K)
        totals[:, 0] = 0.0  # at the start all beams are the same one
        last = source.new_full((batch * size,), self.start_id)  # (B K)
        for position in range(max(limits)):
            log_prob = self.model.decode_next(last, position, cache, memory_mask).float().log_softmax(-1)  # (B K, V)
            allowed = _forced(log_prob, [prefix for prefix in prefixes for _ in range(size)], position)
            candidates = (totals.unsqueeze(2) + allowed.view(batch, size, vocab)).flatten(1)  # (B, K V)
            best, where = candidates.topk(min(2 * size, candidates.size(1)), dim=1)  # (B, 2 K)
            values = log_prob.view(batch, -1).gather(1, where).tolist()  # (B, 2 K)
            parents, next_ids = [], []
            for row in range(batch):
                ranked = zip(best[row].tolist(), where[row].tolist(), values[row], strict=True)
                survivors = self._step(beams[row], done[row], ranked, size, vocab)
                beams[row] = [hypothesis for hypothesis, _, _ in survivors]
                totals[row] = torch.tensor([total for _, total, _ in survivors])
                parents += [row * size + parent for _, _, parent in survivors]
                next_ids += [hypothesis.ids[-1] for hypothesis in beams[row]]
                if position + 1 >= limits[row] and len(done[row]) < size:
                    done[row] += beams[row][: size - len(done[row])]
            if all(len(hypotheses) >= size for hypotheses in done):
                break
            rows = torch.tensor(parents, device=source.device)
            for layer in cache:
                layer.select(rows)
            last = torch.tensor(next_ids, device=source.device)
        return [max(hypotheses, key=lambda hypothesis: hypothesis.score) for hypotheses in done]

    def _step(
        self,
        beams: list[Hypothesis],
        done: list[Hypothesis],
        ranked: "zip[tuple[float, int, float]]",
        size: int,
        vocab: int,
    ) -> list[tuple[Hypothesis, float, int]]:
        """One sentence, one position: ended candidates among the best `size` join `done`; the best others survive.

        Gives (hypothesis, total log-probability, index of the beam it grew from), `size` of them.
        """
        survivors: list[tuple[Hypothesis, float, int]] = []
        for rank, (total, index, value) in enumerate(ranked):
            parent, id_ = divmod(index, vocab)
            ids = [*beams[parent].ids, id_]
            hypothesis = Hypothesis(ids, [*beams[parent].log_probs, value], id_ == self.end_id)
            if hypothesis.finished:
                if rank < size and len(done) < size and total > -math.inf:
                    done.append(hypothesis)
            elif len(survivors) < size:
                survivors.append((hypothesis, total, parent))
        return survivors


def _forced(log_prob: Tensor, prefixes: list[list[int]], position: int) -> Tensor:
    """log_prob (rows, V), with all but the prescribed id at -inf where a row's prefix still prescribes one."""
    rows = [row for row, prefix in enumerate(prefixes) if position < len(prefix)]
    if not rows:
        return log_prob
    forced = log_prob.clone()
    for row in rows:
        id_ = prefixes[row][position]
        forced[row] = -math.inf
        forced[row, id_] = log_prob[row, id_]
    return forced
