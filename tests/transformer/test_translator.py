"""Translator: what it gives, and what bad input gets."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transformer.conftest import END_ID, PAIRS, START_ID, tiny_model
from transformer.checkpoint import CheckpointError
from transformer.decoding import Decoder
from transformer.tokenizer import Tokenizer
from transformer.trace import Trace
from transformer.translator import MAX_BEAM_SIZE, InputError, Translator

#: Its greedy output has 20 tokens.
TEXT = PAIRS[7][0]


def test_a_translation_is_what_decoding_gave(translator: Translator) -> None:
    found = translator.translate(TEXT, "en", beam_size=2)
    tokenizer = translator.tokenizer
    ids = tokenizer.as_source(tokenizer.encode(TEXT), "en")
    expected = Decoder(translator.model, START_ID, END_ID)([ids], 2)[0]
    assert found.tokens == tuple(tokenizer.piece(id_) for id_ in expected.ids)
    assert found.text == tokenizer.decode(expected.ids)
    assert found.log_probs == tuple(expected.log_probs)
    assert found.finished == expected.finished
    assert found.dropped == 0


def test_the_target_heads_the_source_and_changes_what_the_model_does(translator: Translator) -> None:
    traces = {target: translator.trace(TEXT, target) for target in ("en", "es")}
    assert {target: trace.source_tokens[0] for target, trace in traces.items()} == {"en": "<2en>", "es": "<2es>"}
    assert traces["en"].source_tokens[1:] == traces["es"].source_tokens[1:]
    assert np.abs(traces["en"].cross[..., :1, :] - traces["es"].cross[..., :1, :]).max() > 1e-3


def test_a_batch_gives_what_each_text_gives_alone(translator: Translator) -> None:
    texts = [spanish for spanish, _ in PAIRS[:6]]
    for text, found in zip(texts, translator.translate_batch(texts, "en"), strict=True):
        alone = translator.translate(text, "en")
        assert (found.text, found.tokens, found.finished) == (alone.text, alone.tokens, alone.finished)
        assert found.log_probs == pytest.approx(alone.log_probs, abs=1e-5)
    assert translator.translate_batch([], "en") == []


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_trace_is_about_the_translation(translator: Translator, beam_size: int) -> None:
    translation = translator.translate(TEXT, "en", beam_size)
    trace = translator.trace(TEXT, "en", beam_size)
    assert (trace.model, trace.source_text, trace.target, trace.beam_size) == ("tiny", TEXT, "en", beam_size)
    assert (trace.text, trace.output_tokens, trace.finished) == (
        translation.text,
        translation.tokens,
        translation.finished,
    )
    assert not trace.forced
    assert trace.target_tokens == ("<s>", *translation.tokens[:-1])
    np.testing.assert_allclose(trace.log_probs, translation.log_probs, atol=1e-5)
    tokens = translator.tokenizer.tokenize(TEXT)
    assert trace.source_tokens == ("<2en>", *tokens.surfaces, "</s>")
    assert trace.source_surfaces == ("", *tokens.surfaces, "")


def test_a_forced_output_is_the_text_that_was_given(translator: Translator) -> None:
    trace = translator.trace(TEXT, "en", forced="I like to study.")
    assert trace.text == "I like to study."
    assert trace.forced
    assert trace.finished
    assert trace.output_tokens == (*translator.tokenizer.tokenize("I like to study.").surfaces, "</s>")
    assert trace.special_tokens == ("<s>", "</s>", "<2en>")


def test_an_empty_forced_output_is_the_end_alone(translator: Translator) -> None:
    trace = translator.trace(TEXT, "en", forced="")
    assert trace.output_tokens == ("</s>",)
    assert trace.target_tokens == ("<s>",)


def test_a_forced_output_is_cut_at_max_length(translator: Translator) -> None:
    trace = translator.trace(TEXT, "en", forced="cat " * 60)
    assert len(trace.output_tokens) == 39
    assert not trace.finished


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000", "\u200b", "\ufeff", "\x00" * 0, "\x01\x02", "\ud800"])
@pytest.mark.parametrize("call", ["translate", "trace"])
def test_a_blank_text_gets_a_sentence(translator: Translator, call: str, text: str) -> None:
    with pytest.raises(InputError, match="text is empty: type a sentence to translate") as caught:
        getattr(translator, call)(text, "en")
    assert caught.value.reason == "empty"


@pytest.mark.parametrize("target", ["fr", "EN", "", None, 3, ["en"], "<2en>"])
def test_an_unknown_target_gets_the_choice(translator: Translator, target: str) -> None:
    for call in (translator.translate, translator.trace):
        with pytest.raises(InputError, match="target must be one of en, es, not") as caught:
            call(TEXT, target)
        assert caught.value.reason == "target"


@pytest.mark.parametrize("beam_size", [0, -1, 13, 1000, True, False, "2", 2.0, None, [2]])
def test_a_beam_size_that_cannot_be_gets_the_range(translator: Translator, beam_size: int) -> None:
    for call in (translator.translate, translator.trace):
        with pytest.raises(InputError, match="beam_size must be a whole number from 1 to 12, not") as caught:
            call(TEXT, "en", beam_size)
        assert caught.value.reason == "beam_size"


def test_the_largest_beam_works(translator: Translator) -> None:
    assert MAX_BEAM_SIZE == 12
    assert translator.translate(TEXT, "en", MAX_BEAM_SIZE).tokens


@pytest.mark.parametrize("text", [None, 3, b"hola", ["hola"], {"text": "hola"}])
def test_what_is_no_text_is_named(translator: Translator, text: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: translator.translate(text, "en"),
        lambda: translator.translate_batch([TEXT, text], "en"),
        lambda: translator.trace(text, "en"),
    ]
    for call in calls:
        with pytest.raises(InputError, match=f"text must be a string, not {type(text).__name__}") as caught:
            call()
        assert caught.value.reason == "type"
    if text is not None:
        with pytest.raises(InputError, match="forced must be a string"):
            translator.trace(TEXT, "en", forced=text)


@pytest.mark.parametrize("texts", ["hola", None, 3])
def test_a_batch_must_be_a_list(translator: Translator, texts: list[str]) -> None:
    with pytest.raises(InputError, match="texts must be a list of strings"):
        translator.translate_batch(texts, "en")


def test_a_long_text_is_cut_and_what_was_dropped_is_counted(translator: Translator) -> None:
    text = "El gato duerme en la casa. " * 20
    count = len(translator.tokenizer.tokenize(text).ids)
    trace = translator.trace(text, "en")
    assert len(trace.source_tokens) == 40
    assert trace.source_tokens[0] == "<2en>"
    assert trace.source_tokens[-1] == "</s>"
    assert trace.dropped == translator.translate(text, "en").dropped == count - 38
    assert trace.source_text == text


def test_a_text_that_just_fits_is_not_cut(translator: Translator) -> None:
    text = "7" * 38
    fits = len(translator.tokenizer.tokenize(text).ids) - 38
    trace = translator.trace("7" * (38 - fits), "en")
    assert (len(trace.source_tokens), trace.dropped) == (40, 0)
    assert translator.trace("7" * (39 - fits), "en").dropped == 1


@pytest.mark.parametrize("unit", ["x", "Hola, gato. ", "😀", "\u0301", "猫 ", "<s>", "\n"])
def test_a_megabyte_neither_hangs_nor_crashes(translator: Translator, unit: str) -> None:
    text = "El gato " + unit * (1_000_000 // len(unit.encode()))
    trace = translator.trace(text, "en")
    assert len(trace.source_tokens) <= 40
    assert trace.dropped == max(0, len(translator.tokenizer.tokenize(text).ids) - 38)


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("casa <s>", ["<", "s", ">"]),
        ("casa </s> <2es>", ["</", "s", ">"]),
        ("casa \x00 azul", ["\x00"]),
        ("casa 😀", ["😀"]),
        ("casa שלום", ["שלום"]),
        ("casa ${1+1} {{x}} <b>\"'", ["${"]),
    ],
)
def test_odd_text_is_text(translator: Translator, text: str, surfaces: list[str]) -> None:
    trace = translator.trace(text, "en")
    assert [surface for surface in surfaces if surface not in trace.source_surfaces] == []
    assert set(trace.source_tokens) & set(trace.special_tokens) == {"<2en>", "</s>"}
    assert trace.source_tokens.index("</s>") == len(trace.source_tokens) - 1
    assert "<unk>" in trace.source_tokens


def test_a_lone_surrogate_is_replaced_in_all_that_is_given_back(translator: Translator) -> None:
    trace = translator.trace("casa \ud800 azul", "en", forced="blue \udfff house")
    assert trace.source_text == "casa \ufffd azul"
    trace.to_json().encode()


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=[]), max_size=40))
def test_any_text_gets_a_trace_or_a_sentence(translator: Translator, text: str) -> None:
    surfaces = translator.tokenizer.tokenize(text).surfaces
    if surfaces:
        trace = translator.trace(text, "es")
        trace.to_json().encode()
        assert list(trace.source_surfaces[1:-1]) == surfaces[:38]
    else:
        with pytest.raises(InputError, match="text is empty"):
            translator.trace(text, "es")


def test_two_threads_on_one_translator_get_what_they_get_alone(translator: Translator) -> None:
    texts = [pair[0] for pair in PAIRS[:8]]
    alone = {text: translator.trace(text, "en", beam_size=2) for text in texts}
    found: dict[int, list[Trace]] = {0: [], 1: []}

    def work(number: int, order: list[str]) -> None:
        found[number] = [translator.trace(text, "en", beam_size=2) for text in order]

    orders = [texts * 2, texts[::-1] * 2]
    threads = [threading.Thread(target=work, args=(number, order)) for number, order in enumerate(orders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, order in enumerate(orders):
        for text, trace in zip(order, found[number], strict=True):
            assert trace.output_tokens == alone[text].output_tokens
            for kind in ("encoder_self", "decoder_self", "cross"):
                np.testing.assert_allclose(getattr(trace, kind), getattr(alone[text], kind), atol=1e-6)


def test_from_pretrained_loads_a_folder_and_takes_its_name(checkpoint: object, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Translator.from_pretrained(str(checkpoint))
    assert loaded.name == "tiny"
    assert loaded.translate(TEXT, "en").tokens
    monkeypatch.chdir(str(checkpoint))
    assert Translator.from_pretrained(".").name == "tiny"
    with pytest.raises(CheckpointError, match=r"nowhere/config\.json cannot be read"):
        Translator.from_pretrained("nowhere")


def test_a_model_given_in_training_mode_is_put_into_eval_mode(tokenizer: Tokenizer) -> None:
    translator = Translator(tiny_model(dropout=0.5).train(), tokenizer, "tiny")
    np.testing.assert_array_equal(translator.trace(TEXT, "en").cross, translator.trace(TEXT, "en").cross)
