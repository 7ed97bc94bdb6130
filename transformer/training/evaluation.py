"""Scores of a model on pairs it has not learned from: BLEU and chrF by sacrebleu."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sacrebleu.metrics import BLEU, CHRF

from transformer.decoding import Decoder
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair

#: Sentences decoded side by side; sorted by length, so that little of a batch is padding.
_BATCH = 64


@dataclass(frozen=True)
class Scores:
    """Corpus scores, 0 to 100, how many texts they come from, and how sacrebleu counted."""

    bleu: float
    chrf: float
    sentences: int
    bleu_signature: str
    chrf_signature: str


def references(pairs: Iterable[Pair], source_column: int) -> dict[str, list[str]]:
    """Each distinct source, in the order of the file, with all its translations; the first of the file comes first."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        found.setdefault(pair[source_column], []).append(pair[1 - source_column])
    return found


def translate_all(
    model: Transformer, tokenizer: Tokenizer, texts: Sequence[str], target: str, beam_size: int = 1
) -> list[str]:
    """Translations in the order of the texts; sources longer than the model's max_length are cut."""
    decode = Decoder(model, tokenizer.start_id, tokenizer.end_id)
    sources = [tokenizer.as_source(tokenizer.encode(text), target, model.config.max_length) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: len(sources[i]))
    outputs = [""] * len(texts)
    for start in range(0, len(order), _BATCH):
        chunk = order[start : start + _BATCH]
        hypotheses = decode([sources[i] for i in chunk], beam_size)
        for i, hypothesis in zip(chunk, hypotheses, strict=True):
            outputs[i] = tokenizer.decode(hypothesis.ids)
    return outputs


def score_outputs(outputs: Sequence[str], wanted: Sequence[Sequence[str]]) -> Scores:
    """outputs (N) against one or more translations each (N, any number)."""
    longest = max(len(translations) for translations in wanted)
    # sacrebleu wants the first, the second ... translation of all texts, and None where a text has fewer.
    streams = [[(*ts, *[None] * longest)[i] for ts in wanted] for i in range(longest)]
    bleu, chrf = BLEU(), CHRF()
    bleu_score, chrf_score = bleu.corpus_score(outputs, streams).score, chrf.corpus_score(outputs, streams).score
    return Scores(
        round(bleu_score, 2), round(chrf_score, 2), len(outputs), str(bleu.get_signature()), str(chrf.get_signature())
    )


def score_both(
    model: Transformer, tokenizer: Tokenizer, pairs: Sequence[Pair], columns: tuple[str, str]
) -> dict[str, Scores]:
    """{"es-en": ..., "en-es": ...}: each distinct source once, greedy, against its first translation in the file."""
    scores = {}
    for side in (1, 0):
        wanted = references(pairs, side)
        outputs = translate_all(model, tokenizer, list(wanted), columns[1 - side])
        scores[f"{columns[side]}-{columns[1 - side]}"] = score_outputs(outputs, [ts[:1] for ts in wanted.values()])
    return scores
