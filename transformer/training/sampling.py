"""Subword regularisation (Kudo 2018): a text split into pieces by chance, a new way each epoch.

SentencePiece samples too, but from a generator that no version lets one seed for good: a resumed or a second process
would draw other splits. Here the caller's generator draws.
"""

import math
import random

import sentencepiece

from transformer.tokenizer import Tokenizer

#: How much less likely than the rarest piece an unknown letter is, in nats, as in SentencePiece.
_UNKNOWN_PENALTY = 10.0

#: Where a piece starts, its id, and the log of the summed likelihood of all splits that end with it.
_Arrival = tuple[int, int, float]


class SplitSampler:
    """Draws from all splits of a text with probability proportional to likelihood ** smoothness (section 3.2)."""

    def __init__(self, tokenizer: Tokenizer, smoothness: float) -> None:
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model)
        self._unknown_id = tokenizer.unknown_id
        ids = range(tokenizer.vocab_size)
        scores = {
            tokenizer.piece(id_): (id_, smoothness * self._processor.get_score(id_))
            for id_ in ids
            if not tokenizer.is_control(id_) and id_ != tokenizer.unknown_id
        }
        self._pieces = scores
        self._longest = max(map(len, scores))
        self._unknown_score = min(score for _, score in scores.values()) - smoothness * _UNKNOWN_PENALTY

    def __call__(self, text: str, rng: random.Random) -> list[int]:
        """Ids of one split: forward filtering, backward sampling."""
        letters = self._processor.normalize(text)
        totals = [0.0]  # log of the summed likelihood of all splits of the letters before each place
        arrivals: list[list[_Arrival]] = [[]]
        for end in range(1, len(letters) + 1):
            arrivals.append(self._arrivals(letters, end, totals))
            highest = max(weight for _, _, weight in arrivals[end])
            totals.append(highest + math.log(sum(math.exp(weight - highest) for _, _, weight in arrivals[end])))
        ids: list[int] = []
        place = len(letters)
        while place:
            weights = [math.exp(weight - totals[place]) for _, _, weight in arrivals[place]]
            place, id_, _ = rng.choices(arrivals[place], weights)[0]
            if not (ids and id_ == ids[-1] == self._unknown_id):  # neighbouring unknown letters are one piece
                ids.append(id_)
        return ids[::-1]

    def _arrivals(self, letters: str, end: int, totals: list[float]) -> list[_Arrival]:
        found = []
        for start in range(max(0, end - self._longest), end):
            piece = self._pieces.get(letters[start:end])
            if piece is not None:
                found.append((start, piece[0], totals[start] + piece[1]))
        if letters[end - 1] not in self._pieces:
            found.append((end - 1, self._unknown_id, totals[end - 1] + self._unknown_score))
        return found
