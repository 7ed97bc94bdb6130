"""Counts of how decoding ends, on models whose endings are known."""

import torch

from tests.training.conftest import tiny_settings
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair
from transformer.training.endings import Endings, count_endings, endings_report, random_texts
from transformer.translator import Translator


def translator_that_writes(token: int, end_log_prob: float, tokenizer: Tokenizer) -> Translator:
    """Whatever it reads: `token` has a logit of 0, the end has `end_log_prob`, all others next to nothing."""
    model = Transformer(tiny_settings(output_bias=True, tie_output=False).model)
    with torch.no_grad():
        model.projection.weight.zero_()
        model.projection.bias.fill_(-1e3)
        model.projection.bias[token], model.projection.bias[tokenizer.end_id] = 0.0, end_log_prob
    return Translator(model, tokenizer, "made")


def test_outputs_that_end_and_that_are_cut_are_counted(tokenizer: Tokenizer) -> None:
    texts = ["El gato ve el sombrero.", "Ana come pan."]
    ends = count_endings(translator_that_writes(20, 5.0, tokenizer), texts, ["en", "es"])
    assert ends == Endings(texts=4, ended=4, cut=0, longest=1, most_copies=1)
    circles = count_endings(translator_that_writes(20, -5.0, tokenizer), texts, ["en"])
    assert (circles.texts, circles.ended, circles.cut, circles.longest) == (2, 0, 2, 9)
    assert circles.most_copies == 9


def test_each_distinct_text_of_the_corpus_is_decoded_once_into_the_other_language(tokenizer: Tokenizer) -> None:
    pairs = [Pair("I eat.", "Como."), Pair("I eat.", "Yo como."), Pair("Bread.", "Pan.")]
    report = endings_report(translator_that_writes(20, 5.0, tokenizer), pairs, ("en", "es"))
    assert report["corpus"] == {"texts": 5, "ended": 5, "cut": 0, "longest": 1, "most_copies": 1}
    assert report["random"]["texts"] == 2_000


def test_texts_of_chance_are_many_kinds_and_the_same_each_time(tokenizer: Tokenizer) -> None:
    texts = random_texts(1_000, tokenizer)
    assert texts == random_texts(1_000, tokenizer)
    assert all(text.strip() for text in texts)
    assert len(set(texts)) > 800
    assert max(len(tokenizer.encode(text)) for text in texts) > 64
    assert any(char >= "\u4e00" for text in texts for char in text)
