"""What the page does with a typed sentence, called as plain functions on the shipped model."""

import json
from typing import Any

import gradio as gr
import pytest

from transformer.translator import Translator
from viz.tabs.masks import panels_payload
from viz.tabs.translate import EXAMPLES, first_trace, trace_payload, translate
from viz.text import texts


def test_the_payload_is_that_of_the_typed_sentence(translator: Translator) -> None:
    payload, masks, said = translate(translator, "Tengo un perro.", "en", 1)
    trace = translator.trace("Tengo un perro.", "en")
    assert payload == trace_payload(translator, trace)
    got = json.loads(payload)
    assert got["text"] == trace.text
    assert got["forcedText"] is got["ownChoice"] is None
    proof = translator.proof(trace)
    assert got["proof"] == {"rowSum": proof.row_sum, "replay": proof.replay}
    assert masks == panels_payload(translator, trace)
    assert said == ""


def test_the_beam_size_of_the_slider_reaches_the_model(translator: Translator) -> None:
    for size in (4, 4.0):
        payload, _, _ = translate(translator, "Tengo un perro.", "en", size)
        assert json.loads(payload)["beamSize"] == 4


def test_a_typed_translation_is_forced_and_set_beside_the_model_s_own(translator: Translator) -> None:
    for size in (1, 3):
        payload, masks, said = translate(translator, "Tengo un perro.", "en", size, "  I own a dog. ")
        trace = translator.trace("Tengo un perro.", "en", size, forced="I own a dog.")
        own = translator.translate("Tengo un perro.", "en", size)
        got = json.loads(payload)
        assert got["forced"]
        assert got["forcedText"] == got["text"] == "I own a dog."
        assert got["logProbs"] == trace.log_probs.tolist()
        assert (got["ownChoice"]["text"], got["ownChoice"]["finished"]) == (own.text, True)
        assert got["ownChoice"]["logProb"] == pytest.approx(sum(own.log_probs), abs=1e-9)
        assert masks == panels_payload(translator, trace)
        assert said == ""


@pytest.mark.parametrize("typed", [None, "", " \n", "\u200b"])
def test_a_blank_box_is_the_model_s_own_choice(translator: Translator, typed: Any) -> None:
    assert translate(translator, "Hola.", "en", 1, typed) == translate(translator, "Hola.", "en", 1)


def test_what_asks_for_the_pair_again_gets_it_again(translator: Translator) -> None:
    """Links and downloads ask with `sourceText` and `forcedText`, cut as they may be."""
    for typed in ("I own a dog.", "dog " * 500, "漢" * 20_000, "a\ud800b", " 漢 " * 9_000):
        first, _, _ = translate(translator, "Tengo un perro.", "en", 1, typed)
        got = json.loads(first)
        assert len(got["forcedText"]) <= 10_000
        again, _, _ = translate(translator, got["sourceText"], got["target"], got["beamSize"], got["forcedText"])
        assert again == first


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b"])
def test_blank_text_keeps_the_last_result(translator: Translator, text: str) -> None:
    payload, masks, said = translate(translator, text, "en", 1, "I own a dog.")
    assert payload == masks == gr.skip()
    (message,) = json.loads(said)["messages"]
    assert message["key"] == "notice.empty"
    assert message["key"] in texts("en")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("Hola.", "fr", 1), "target"),
        (("Hola.", None, 1), "target"),
        (("Hola.", "en", 0), "beam_size"),
        (("Hola.", "en", 1.5), "beam_size"),
        (("Hola.", "en", None), "beam_size"),
        ((["Hola."], "en", 1), "text"),
        (("Hola.", "en", 1, ["Hello."]), "forced"),
        (("Hola.", "en", 1, 3), "forced"),
    ],
)
def test_what_a_stranger_may_send_is_answered_with_a_sentence(
    translator: Translator, arguments: tuple[Any, ...], word: str
) -> None:
    payload, masks, said = translate(translator, *arguments)
    assert payload == masks == gr.skip()
    notice = json.loads(said)
    assert notice["level"] == "error"
    assert word in notice["messages"][0]["values"]["message"]


def test_the_page_opens_with_the_first_example(translator: Translator) -> None:
    assert first_trace(translator).source_text == EXAMPLES[0][0] == "Me gusta estudiar."


def test_every_example_is_translated_to_the_end_without_unknown_tokens(translator: Translator) -> None:
    for sentence, target in EXAMPLES:
        trace = translator.trace(sentence, target)
        assert trace.finished
        assert "<unk>" not in trace.source_tokens
        assert trace.dropped == 0


@pytest.mark.parametrize("text", ["漢" * 1_000_000, "palabra " * 130_000, "x" * 1_000_000])
def test_a_pasted_megabyte_comes_back_as_a_payload_of_bounded_size(translator: Translator, text: str) -> None:
    for typed in ("", text):
        payload, _, _ = translate(translator, text, "en", 1, typed)
        assert len(payload) < 4_000_000
        assert len(json.loads(payload)["sourceText"]) <= 10_000
