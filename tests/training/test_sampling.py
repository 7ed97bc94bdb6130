import itertools
import math
import random
from collections import Counter

import pytest
import sentencepiece

from transformer.tokenizer import Tokenizer
from transformer.training.sampling import SplitSampler

TEXT = "Ana sees the red hat."


def every_split(processor: sentencepiece.SentencePieceProcessor, letters: str) -> dict[tuple[int, ...], float]:
    """All ways to cut the letters into pieces, with the sum of their scores."""
    found = {}
    for cuts in itertools.product((False, True), repeat=len(letters) - 1):
        places = [0, *(place for place, cut in enumerate(cuts, start=1) if cut), len(letters)]
        ids = tuple(processor.piece_to_id(letters[a:b]) for a, b in itertools.pairwise(places))
        if processor.unk_id() not in ids:
            found[ids] = sum(processor.get_score(id_) for id_ in ids)
    return found


def test_splits_come_as_often_as_their_likelihood_says(tokenizer: Tokenizer) -> None:
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model)
    splits = every_split(processor, "▁the▁boat")
    total = sum(math.exp(0.2 * score) for score in splits.values())
    sampler, rng = SplitSampler(tokenizer, 0.2), random.Random(0)
    drawn = Counter(tuple(sampler("the boat", rng)) for _ in range(4000))
    assert len(splits) > 5
    assert set(drawn) <= set(splits)
    for ids, score in splits.items():
        assert drawn[ids] / 4000 == pytest.approx(math.exp(0.2 * score) / total, abs=0.03)


def test_at_great_smoothness_only_the_best_split_is_left(tokenizer: Tokenizer) -> None:
    sampler = SplitSampler(tokenizer, 1000.0)
    assert sampler(TEXT, random.Random(0)) == tokenizer.encode(TEXT)


def test_the_text_stays_and_the_same_seed_splits_alike(tokenizer: Tokenizer) -> None:
    sampler, rng = SplitSampler(tokenizer, 0.1), random.Random(0)
    drawn = [sampler(TEXT, rng) for _ in range(20)]
    assert {tokenizer.decode(ids) for ids in drawn} == {TEXT}
    assert len({tuple(ids) for ids in drawn}) > 5
    again = random.Random(0)
    assert [sampler(TEXT, again) for _ in range(20)] == drawn


def test_unknown_letters_are_one_piece_as_in_the_tokenizer(tokenizer: Tokenizer) -> None:
    sampler = SplitSampler(tokenizer, 1000.0)
    for text in ("hat 漢字 red", "漢字", "漢 字", ""):
        assert sampler(text, random.Random(0)) == tokenizer.encode(text)
