"""Downloads are the head and the trace that the page names, and nothing that nobody can name."""

import base64
from typing import Any
from xml.etree import ElementTree

import gradio as gr
import pytest

from transformer.translator import Translator
from viz.tabs.download import Download, build_downloads, head_file, trace_file

REQUEST = {"text": "Me gusta estudiar.", "target": "en", "beam_size": 1}
SELECTION = {"map": "cross", "layer": 2, "head": 0}


def content(download: Download) -> bytes:
    return base64.b64decode(download["base64"])


def test_svg_is_the_head_that_was_asked_for(translator: Translator) -> None:
    download = head_file(translator, REQUEST, SELECTION | {"step": None}, "en-US", "svg")
    assert (download["name"], download["type"]) == ("headlight-cross-layer3-head1.svg", "image/svg+xml")
    svg = ElementTree.fromstring(content(download))
    written = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    trace = translator.trace("Me gusta estudiar.", "en")
    assert {"Cross-attention, layer 3, head 1", *trace.source_tokens, *trace.output_tokens} <= set(written)
    other = head_file(translator, REQUEST, SELECTION | {"head": 1}, "en-US", "svg")
    assert content(other) != content(download)


def test_png_has_a_speaking_name_and_the_pages_language(translator: Translator) -> None:
    download = head_file(translator, REQUEST, {"map": "encoder_self", "layer": 0, "head": 5}, "es-MX", "png")
    assert (download["name"], download["type"]) == ("headlight-encoder-self-layer1-head6.png", "image/png")
    assert "Autoatención del codificador, capa 1, cabeza 6".encode("latin-1") in content(download)


def test_json_is_the_trace_of_that_sentence(translator: Translator) -> None:
    request = {"text": "I like to study.", "target": "es", "beam_size": 3}
    download = trace_file(translator, request, "en")
    assert (download["name"], download["type"]) == ("headlight-trace.json", "application/json")
    assert content(download).decode() == translator.trace("I like to study.", "es", 3).to_json()


REQUESTS: list[tuple[Any, str]] = [
    (None, "translate a sentence first"),
    ([], "translate a sentence first"),
    ({"text": "Hola."}, "translate a sentence first"),
    (REQUEST | {"text": " "}, "text is empty"),
    (REQUEST | {"text": ["Hola."]}, "text must be a string"),
    (REQUEST | {"target": "fr"}, "target must be one of"),
    (REQUEST | {"target": {}}, "target must be one of"),
    (REQUEST | {"beam_size": 1000}, "beam_size must be a whole number from 1"),
]


@pytest.mark.parametrize(("request_", "said"), REQUESTS)
def test_a_request_that_cannot_be_traced_gets_a_sentence(translator: Translator, request_: Any, said: str) -> None:
    with pytest.raises(gr.Error, match=said):
        trace_file(translator, request_, "en")
    with pytest.raises(gr.Error, match=said):
        head_file(translator, request_, SELECTION, "en", "png")


SELECTIONS: list[tuple[Any, str]] = [
    (None, "map: None"),
    (SELECTION | {"map": "memory"}, "must be one of encoder_self, decoder_self, cross"),
    (SELECTION | {"map": ["cross"]}, "map: "),
    (SELECTION | {"layer": 3}, "layer must be 0 to 2, not 3"),
    (SELECTION | {"layer": -1}, "layer must be 0 to 2, not -1"),
    (SELECTION | {"layer": True}, "layer: True"),
    (SELECTION | {"head": 6}, "head must be 0 to 5, not 6"),
    (SELECTION | {"head": "0"}, "head: '0'"),
]


@pytest.mark.parametrize(("selection", "said"), SELECTIONS)
def test_a_head_that_is_not_there_gets_a_sentence(translator: Translator, selection: Any, said: str) -> None:
    with pytest.raises(gr.Error, match=said):
        head_file(translator, REQUEST, selection, "en", "svg")


def test_a_refusal_speaks_the_pages_language_and_prints_no_traceback(translator: Translator) -> None:
    with pytest.raises(gr.Error, match="primero traduce una oración") as caught:
        trace_file(translator, None, "es")
    assert caught.value.print_exception is False


def test_every_event_is_private(translator: Translator) -> None:
    with gr.Blocks() as demo:
        build_downloads(translator, str)
    assert len(demo.fns) == 6
    assert {event.api_visibility for event in demo.fns.values()} == {"private"}
