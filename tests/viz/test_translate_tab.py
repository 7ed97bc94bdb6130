"""What the page does with a typed sentence, called as plain functions on the shipped model."""

import json
from typing import Any

import gradio as gr
import pytest

from transformer.translator import Translator
from viz.board.payload import board_payload
from viz.tabs.translate import EXAMPLES, first_trace, translate
from viz.text import texts


def test_the_payload_is_that_of_the_typed_sentence(translator: Translator) -> None:
    payload, said = translate(translator, "Tengo un perro.", "en", 1)
    assert payload == board_payload(translator.trace("Tengo un perro.", "en"), translator.alignment_head)
    assert said == ""


def test_the_beam_size_of_the_slider_reaches_the_model(translator: Translator) -> None:
    for size in (4, 4.0):
        payload, _ = translate(translator, "Tengo un perro.", "en", size)
        assert json.loads(payload)["beamSize"] == 4


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b"])
def test_blank_text_keeps_the_last_result(translator: Translator, text: str) -> None:
    payload, said = translate(translator, text, "en", 1)
    assert payload == gr.skip()
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
    ],
)
def test_what_a_stranger_may_send_is_answered_with_a_sentence(
    translator: Translator, arguments: tuple[Any, Any, Any], word: str
) -> None:
    payload, said = translate(translator, *arguments)
    assert payload == gr.skip()
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
