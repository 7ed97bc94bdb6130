import pytest
import sacrebleu

from tests.training.conftest import VOCABULARY
from transformer.config import ModelConfig
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair
from transformer.training.evaluation import references, score_both, score_outputs, translate_all
from transformer.training.noise import all_noises
from transformer.training.score_table import rows

PAIRS = [
    Pair("I eat bread.", "Como pan."),
    Pair("She sleeps all day long.", "Ella duerme todo el día."),
    Pair("I am eating some bread.", "Como pan."),
    Pair("They live far away from here.", "Viven muy lejos de aquí."),
]
WANTED = {
    "Como pan.": ["I eat bread.", "I am eating some bread."],
    "Ella duerme todo el día.": ["She sleeps all day long."],
    "Viven muy lejos de aquí.": ["They live far away from here."],
}
OUTPUTS = ["I am eating bread.", "She sleeps all the day long.", "They live away from here."]


def test_each_distinct_source_once_with_the_files_first_translation_first() -> None:
    assert references(PAIRS, 1) == WANTED
    assert list(references(PAIRS, 1)) == list(WANTED)
    assert references(PAIRS, 0)["I am eating some bread."] == ["Como pan."]


def test_scores_are_sacrebleus_with_one_reference() -> None:
    firsts = [translations[0] for translations in WANTED.values()]
    scores = score_outputs(OUTPUTS, [[first] for first in firsts])
    assert scores.bleu == pytest.approx(sacrebleu.corpus_bleu(OUTPUTS, [firsts]).score, abs=0.005)
    assert scores.chrf == pytest.approx(sacrebleu.corpus_chrf(OUTPUTS, [firsts]).score, abs=0.005)
    assert 20 < scores.bleu < 80
    assert scores.sentences == 3
    assert scores.bleu_signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert scores.chrf_signature.startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")


def test_scores_are_sacrebleus_with_all_references() -> None:
    streams = [["I eat bread.", *[ts[0] for ts in WANTED.values()][1:]], ["I am eating some bread.", None, None]]
    scores = score_outputs(OUTPUTS, list(WANTED.values()))
    assert scores.bleu == pytest.approx(sacrebleu.corpus_bleu(OUTPUTS, streams).score, abs=0.005)
    assert scores.chrf == pytest.approx(sacrebleu.corpus_chrf(OUTPUTS, streams).score, abs=0.005)
    assert scores.bleu > score_outputs(OUTPUTS, [ts[:1] for ts in WANTED.values()]).bleu
    assert scores.bleu_signature.startswith("nrefs:var|")


def test_perfect_outputs_score_100() -> None:
    perfect = score_outputs([ts[-1] for ts in WANTED.values()], list(WANTED.values()))
    assert (perfect.bleu, perfect.chrf) == (100.0, 100.0)


def test_table_of_one_direction() -> None:
    """A translator that knows the clean texts by heart, alone or joined, and no others."""
    asked: list[tuple[list[str], int]] = []
    known = {source: translations[0] for source, translations in WANTED.items()}

    def translate(texts: list[str], beam_size: int) -> list[str]:
        asked.append((list(texts), beam_size))
        return [known.get(text, "unknown") for text in texts]

    table = list(rows("es-en", WANTED, translate))  # type: ignore[arg-type]
    assert [(row.input, row.beam_size, row.references, row.scores.sentences) for row in table] == [
        ("clean", 1, "first", 3),
        ("clean", 1, "all", 3),
        ("clean", 5, "first", 3),
        ("clean", 5, "all", 3),
        ("lower case", 1, "first", 3),
        ("no accents", 1, "first", 3),
        ("no final punctuation", 1, "first", 3),
        ("no opening marks", 1, "first", 3),
        ("doubled spaces", 1, "first", 3),
        ("all of these", 1, "first", 3),
        ("joined by twos", 1, "first", 2),
        ("one by one, then joined by twos", 1, "first", 2),
        ("joined by threes", 1, "first", 1),
        ("one by one, then joined by threes", 1, "first", 1),
    ]
    bleu = {(row.input, row.beam_size, row.references): row.scores.bleu for row in table}
    assert bleu["clean", 1, "first"] == bleu["clean", 5, "all"] == bleu["no opening marks", 1, "first"] == 100
    assert bleu["one by one, then joined by threes", 1, "first"] == 100
    assert bleu["doubled spaces", 1, "first"] < 5
    assert bleu["joined by threes", 1, "first"] < 5
    assert ([all_noises(source) for source in WANTED], 1) in asked
    assert (["Como pan. Ella duerme todo el día.", "Viven muy lejos de aquí."], 1) in asked


def test_translations_come_in_the_order_of_the_texts_and_long_sources_are_cut(tokenizer: Tokenizer) -> None:
    config = ModelConfig(
        source_vocab_size=VOCABULARY, target_vocab_size=VOCABULARY, d_model=16, num_heads=2, num_encoder_layers=1,
        num_decoder_layers=1, d_ff=16, max_length=12,
    )  # fmt: skip
    model = Transformer(config)
    texts = ["Tom sees the old boat.", "Ana", "my uncle buys the red hat " * 20, "", "nobody"]
    together = translate_all(model, tokenizer, texts, "es")
    assert together == [translate_all(model, tokenizer, [text], "es")[0] for text in texts]
    assert model.training


def test_both_directions_are_named_by_source_and_target(tokenizer: Tokenizer) -> None:
    config = ModelConfig(
        source_vocab_size=VOCABULARY, target_vocab_size=VOCABULARY, d_model=16, num_heads=2, num_encoder_layers=1,
        num_decoder_layers=1, d_ff=16, max_length=32,
    )  # fmt: skip
    scores = score_both(Transformer(config), tokenizer, PAIRS, ("en", "es"))
    assert {direction: each.sentences for direction, each in scores.items()} == {"es-en": 3, "en-es": 4}
