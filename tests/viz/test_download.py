"""Downloads are what the page names, and nothing that nobody can name."""

import base64
import io
import json
import math
from typing import Any
from xml.etree import ElementTree

import gradio as gr
import numpy as np
import pandas
import pytest
from PIL import Image
from pypdf import PdfReader

from transformer.trace import Trace
from transformer.translator import Translator
from viz.data_files import READ_TABLE
from viz.stamp import APP_VERSION
from viz.tabs.download import FORMATS, Download, build_downloads, format_choices, ordered_file
from viz.tabs.masks import mask_panels
from viz.tabs.order import Order
from viz.text import texts
from viz.view import Selection, view_of
from viz.view_files import view_csv

REQUEST = {"text": "Me gusta estudiar.", "target": "en", "beam_size": 1, "forced": None}
SELECTION = {"tab": "attention", "map": "cross", "layer": 2, "head": 0, "step": None, "merge": "head", "lines": []}
POSITIONS = [16, 20, 4, "0, 1"]
WORDS = texts("en")


def ordered(
    translator: Translator,
    what: Any = "picture",
    file_format: Any = "svg",
    request: Any = REQUEST,
    selection: Any = SELECTION,
    positions: Any = POSITIONS,
    locale: Any = "en-US",
) -> Download:
    return ordered_file(Order(translator, what, file_format, request, selection, positions, locale))


def content(download: Download) -> bytes:
    return base64.b64decode(download["base64"])


def read_table(download: Download) -> Any:
    return eval(READ_TABLE, {"pandas": pandas, "file": io.BytesIO(content(download))})


def written(download: Download) -> list[str]:
    svg = ElementTree.fromstring(content(download))
    return ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_is_the_view_that_was_asked_for(translator: Translator) -> None:
    download = ordered(translator)
    assert (download["name"], download["type"]) == ("headlight-cross-layer3-head1.svg", "image/svg+xml")
    trace = translator.trace("Me gusta estudiar.", "en")
    expected = {"Cross-attention, layer 3, head 1", *trace.source_tokens, *trace.output_tokens}
    assert expected <= set(written(download))
    assert any(text.endswith(f"model es-en: Me gusta estudiar. → {trace.text}") for text in written(download))
    assert content(ordered(translator, selection=SELECTION | {"head": 1})) != content(download)


def test_a_given_output_is_drawn_and_said_to_be_given(translator: Translator) -> None:
    download = ordered(translator, request=REQUEST | {"forced": "I like cheese."})
    trace = translator.trace("Me gusta estudiar.", "en", forced="I like cheese.")
    assert set(trace.output_tokens) <= set(written(download))
    assert any("(given, not chosen by the model)" in text for text in written(download))


def test_png_has_a_speaking_name_and_the_page_s_language(translator: Translator) -> None:
    download = ordered(
        translator, file_format="png", selection={"map": "encoder_self", "layer": 0, "head": 5}, locale="es-MX"
    )
    assert (download["name"], download["type"]) == ("headlight-encoder-self-layer1-head6.png", "image/png")
    assert Image.open(io.BytesIO(content(download))).info["Title"] == "Autoatención del codificador, capa 1, cabeza 6"


def test_lines_show_the_chosen_head_and_those_beside_it_once(translator: Translator) -> None:
    selection = SELECTION | {"view": "lines", "head": 3, "lines": [0, 3, 0, 5]}
    download = ordered(translator, selection=selection)
    assert download["name"] == "headlight-cross-layer3-heads4-1-6-lines.svg"
    named = [text for text in written(download) if text.startswith("head ")]
    assert named == ["head 4", "head 1", "head 6"]
    assert "Cross-attention, layer 3, head 4" not in written(download)


def test_merged_heads_are_one_picture_of_lines(translator: Translator) -> None:
    download = ordered(translator, selection=SELECTION | {"view": "lines", "merge": "layer_mean", "lines": [0, 1]})
    assert "Cross-attention, mean of the heads of layer 3" in written(download)
    assert not any(text.startswith("head ") for text in written(download))


def test_csv_and_json_are_the_numbers_of_the_view(translator: Translator) -> None:
    selection = SELECTION | {"units": "words", "special": "hidden"}
    trace = translator.trace("Me gusta estudiar.", "en")
    view = view_of(trace, Selection.of(selection))
    csv = content(ordered(translator, file_format="csv", selection=selection)).decode("utf-8-sig")
    title, stamp = (line.removeprefix("# ") for line in csv.splitlines()[:2])
    assert csv == view_csv(view, [title, stamp])
    assert title == "Cross-attention, layer 3, head 1 (whole words, special tokens hidden)"
    found = json.loads(content(ordered(translator, file_format="json", selection=selection)))
    assert found["stamp"]["text"] == trace.text
    assert [piece["token"] for piece in found["rows"]] == [piece.token for piece in view.rows]


def test_csv_and_json_of_lines_hold_every_head_that_is_drawn(translator: Translator) -> None:
    selection = SELECTION | {"view": "lines", "head": 3, "lines": [0, 3, 5]}
    trace = translator.trace("Me gusta estudiar.", "en")
    found = json.loads(content(ordered(translator, file_format="json", selection=selection)))
    assert found["title"] == "Cross-attention, heads of layer 3"
    assert [(view["selection"]["layer"], view["selection"]["head"]) for view in found["views"]] == [
        (2, 3),
        (2, 0),
        (2, 5),
    ]
    for view in found["views"]:
        np.testing.assert_array_equal(np.array(view["weights"], np.float32), trace.cross[2, view["selection"]["head"]])
    table = read_table(ordered(translator, file_format="csv", selection=selection))
    assert list(table["head"].unique()) == [3, 0, 5]
    for head in (3, 0, 5):
        weights = table[table["head"] == head]["weight"].to_numpy(np.float32)
        np.testing.assert_array_equal(weights, trace.cross[2, head].ravel())


def test_heads_that_are_not_drawn_are_not_in_the_numbers(translator: Translator) -> None:
    """Other heads are chosen for lines, but the picture is a heatmap."""
    found = json.loads(content(ordered(translator, file_format="json", selection=SELECTION | {"lines": [4]})))
    assert (found["format"], found["selection"]["head"]) == ("headlight-view", 0)


def test_all_heads_are_numbers_too(translator: Translator) -> None:
    trace = translator.trace("Me gusta estudiar.", "en")
    selection = SELECTION | {"map": "decoder_self", "merge": "rollout"}
    download = ordered(translator, "heads", "csv", selection=selection, locale="es")
    assert download["name"] == "headlight-decoder-self-all-heads.csv"
    title, stamp, counting = content(download).decode("utf-8-sig").splitlines()[:3]
    assert title == "# Autoatención del decodificador, todas las capas y cabezas"
    assert stamp.endswith(f"modelo es-en: Me gusta estudiar. → {trace.text}")
    assert counting == f"# {texts('es')['download.counting']}"
    table = read_table(download)
    expected = np.where(trace.decoder_self_mask, trace.decoder_self, np.nan)  # (L, H, T, T)
    np.testing.assert_array_equal(table["weight"].to_numpy(np.float32), expected.ravel())
    np.testing.assert_array_equal(
        table[["layer", "head", "row", "column"]].to_numpy(), np.argwhere(np.ones(expected.shape))
    )
    assert list(table["writes"][: expected.shape[-1]]) == [trace.output_tokens[0]] * expected.shape[-1]
    found = json.loads(content(ordered(translator, "heads", "json", selection=selection)))
    weights = np.array([view["weights"] for view in found["views"]], np.float32)
    np.testing.assert_array_equal(weights, expected.reshape(-1, *expected.shape[2:]))
    assert (found["title"], found["stamp"]["text"]) == ("Decoder self-attention, all layers and heads", trace.text)


def traced(translator: Translator) -> Trace:
    return translator.trace("Me gusta estudiar.", "en")


@pytest.mark.parametrize(("chosen", "place"), [({"step": 2}, 2), ({"step": 0}, 0), ({"step": None}, 0), ({}, 0)])
def test_a_step_s_numbers_are_those_of_the_trace(translator: Translator, chosen: dict[str, Any], place: int) -> None:
    trace = traced(translator)
    selection = {name: value for name, value in SELECTION.items() if name != "step"} | chosen
    csv, as_json = (ordered(translator, "step", kind, selection=selection) for kind in ("csv", "json"))
    assert [csv["name"], as_json["name"]] == [f"headlight-step{place + 1}.{kind}" for kind in ("csv", "json")]
    weights = read_table(csv).iloc[:, 2:].to_numpy(np.float32).reshape(trace.cross[:, :, place].shape)
    np.testing.assert_array_equal(weights, trace.cross[:, :, place])
    found = json.loads(content(as_json))
    assert (found["step"], found["taken"]["token"]) == (place, trace.output_tokens[place])
    assert found["stamp"]["text"] == trace.text
    np.testing.assert_array_equal(np.array(found["weights"], np.float32), trace.cross[:, :, place])


def test_the_comments_of_a_step_tell_what_went_in_and_what_came_next(translator: Translator) -> None:
    trace, selection = traced(translator), SELECTION | {"step": 1}
    comments = content(ordered(translator, "step", "csv", selection=selection)).decode("utf-8-sig").splitlines()[:5]
    title, stamp, counting, seen, likeliest = comments
    token, count = trace.output_tokens[1], len(trace.output_tokens)
    assert title == f"# Cross-attention, all heads at step 2 of {count}, which wrote {token}"
    assert stamp.endswith(f"model es-en: Me gusta estudiar. → {trace.text}")
    assert counting == f"# {WORDS['download.counting']}"
    assert seen == f"# Went in: {' '.join(trace.target_tokens[:2])}"
    for candidate in trace.top_k[1]:
        assert f" {candidate.token} {math.exp(candidate.log_prob):.4f}" in likeliest
    assert f" {token} {math.exp(trace.log_probs[1]):.4f} (taken)" in likeliest


def test_the_figure_of_a_step_is_in_the_page_s_language(translator: Translator) -> None:
    trace, last = traced(translator), len(traced(translator).output_tokens) - 1
    titles = {
        "en-US": f"Cross-attention, all heads at step {last + 1} of {last + 1}, which wrote {trace.output_tokens[-1]}",
        "es-MX": f"Atención cruzada, todas las cabezas en el paso {last + 1} de {last + 1}, que escribió "
        + trace.output_tokens[-1],
    }
    for locale, title in titles.items():
        download = ordered(translator, "step", selection=SELECTION | {"step": last}, locale=locale)
        assert (download["name"], download["type"]) == (f"headlight-step{last + 1}.svg", "image/svg+xml")
        assert {title, *trace.source_tokens} <= set(written(download))
    assert {"capa 1, cabeza 1", "capa 3, cabeza 6", "peso de atención"} <= set(written(download))


def test_a_step_of_a_given_output_says_that_it_is_given(translator: Translator) -> None:
    csv = ordered(translator, "step", "csv", REQUEST | {"forced": "I like cheese."}, SELECTION | {"step": 2})
    trace = translator.trace("Me gusta estudiar.", "en", forced="I like cheese.")
    likeliest = content(csv).decode("utf-8-sig").splitlines()[4]
    assert f" {trace.output_tokens[2]} {math.exp(trace.log_probs[2]):.4f} (given)" in likeliest


def test_masks_are_numbers_too(translator: Translator) -> None:
    panels = mask_panels(translator, translator.trace("Me gusta estudiar.", "en"))
    table = read_table(ordered(translator, "masks", "csv"))
    expected = np.concatenate([panel.allowed.ravel() for panel in panels])
    np.testing.assert_array_equal(table["allowed"].to_numpy(bool), expected)
    found = json.loads(content(ordered(translator, "masks", "json")))
    assert found["title"] == WORDS["figure.title.masks"]
    assert found["stamp"]["source_text"] == "Me gusta estudiar."
    assert [mask["allowed"] for mask in found["masks"]] == [panel.allowed.tolist() for panel in panels]


def test_positions_are_numbers_too(translator: Translator) -> None:
    csv = content(ordered(translator, "positions", "csv", request=None, selection=None)).decode("utf-8-sig")
    title, stamp = csv.splitlines()[:2]
    assert title == "# Sinusoidal positions: 20 vectors of width 16, base 10000"
    assert stamp == f"# Headlight {APP_VERSION}"
    found = json.loads(content(ordered(translator, "positions", "json", positions=[8, 6, 3, "0, 3, 40"])))
    assert (found["d_model"], found["length"], found["base"], found["dimensions"]) == (8, 6, 1000, [0, 3])
    expected = [
        [(math.cos if d % 2 else math.sin)(pos / 1000 ** ((d - d % 2) / 8)) for d in range(8)] for pos in range(6)
    ]
    np.testing.assert_allclose(found["table"], expected, atol=1e-6)


def test_all_heads_masks_and_positions_are_figures(translator: Translator) -> None:
    heads = ordered(translator, "heads", selection=SELECTION | {"units": "words"})
    assert heads["name"] == "headlight-cross-all-heads-words.svg"
    assert {"Cross-attention, all layers and heads (whole words)", "layer 1", "layer 3", "head 6"} <= set(
        written(heads)
    )
    masks = written(ordered(translator, "masks"))
    assert {"Cross-attention:", "causal", "padding and causal", "<pad>"} <= set(masks)
    positions = ordered(translator, "positions", request=None, selection=None)
    assert positions["name"] == "headlight-positions.svg"
    assert "Sinusoidal positions: 20 vectors of width 16, base 10000" in written(positions)


@pytest.mark.parametrize("what", ["heads", "step", "masks", "positions"])
def test_pdfs_are_one_page_with_their_words(translator: Translator, what: str) -> None:
    download = ordered(translator, what, "pdf", locale="es")
    assert download["type"] == "application/pdf"
    (page,) = PdfReader(io.BytesIO(content(download))).pages
    expected = {
        "heads": "Atención cruzada",
        "step": "en el paso 1 de",
        "masks": "Máscaras de atención",
        "positions": "posición",
    }[what]
    assert expected in page.extract_text()


def test_the_trace_is_that_of_the_sentence(translator: Translator) -> None:
    request = {"text": "I like to study.", "target": "es", "beam_size": 3}
    download = ordered(translator, "trace", "json", request, selection=None)
    assert (download["name"], download["type"]) == ("headlight-trace-i-like-to-study.json", "application/json")
    assert content(download).decode() == translator.trace("I like to study.", "es", 3).to_json()


def test_every_file_that_is_offered_can_be_had(translator: Translator) -> None:
    for what, formats in FORMATS.items():
        for file_format in formats:
            assert ordered(translator, what, file_format)["name"].endswith(f".{file_format}")


REQUESTS: list[tuple[Any, str]] = [
    (None, "translate a sentence first"),
    ([], "translate a sentence first"),
    ({"text": "Hola."}, "translate a sentence first"),
    (REQUEST | {"text": " "}, "text is empty"),
    (REQUEST | {"text": ["Hola."]}, "text must be a string"),
    (REQUEST | {"target": "fr"}, "target must be one of"),
    (REQUEST | {"target": {}}, "target must be one of"),
    (REQUEST | {"beam_size": 1000}, "beam_size must be a whole number from 1"),
    (REQUEST | {"forced": 3}, "forced must be a string"),
]


@pytest.mark.parametrize(("request_", "said"), REQUESTS)
@pytest.mark.parametrize("what", ["picture", "heads", "step", "masks", "trace", "board"])
def test_a_request_that_cannot_be_traced_gets_a_sentence(
    translator: Translator, what: str, request_: Any, said: str
) -> None:
    with pytest.raises(gr.Error, match=said):
        ordered(translator, what, FORMATS[what][0], request_)


SELECTIONS: list[tuple[Any, str]] = [
    (None, "must be an object"),
    (SELECTION | {"map": "memory"}, "map must be one of encoder_self, decoder_self, cross"),
    (SELECTION | {"layer": 3}, "layer must be 0 to 2, not 3"),
    (SELECTION | {"layer": -1}, "layer must be a whole number from 0 on, not -1"),
    (SELECTION | {"head": 6}, "head must be 0 to 5, not 6"),
    (SELECTION | {"head": "0"}, "head must be a whole number from 0 on, not '0'"),
    (SELECTION | {"merge": "sum"}, "merge must be one of"),
    (SELECTION | {"view": "lines", "lines": [9]}, "head must be 0 to 5, not 9"),
]


@pytest.mark.parametrize(("selection", "said"), SELECTIONS)
def test_a_view_that_is_not_there_gets_a_sentence(translator: Translator, selection: Any, said: str) -> None:
    with pytest.raises(gr.Error, match=f"cannot be downloaded: .*{said}"):
        ordered(translator, selection=selection)


@pytest.mark.parametrize("what", ["heads", "board"])
def test_what_needs_a_selection_refuses_one_that_is_none(translator: Translator, what: str) -> None:
    with pytest.raises(gr.Error, match="map must be one of"):
        ordered(translator, what, FORMATS[what][0], selection=SELECTION | {"map": []})


@pytest.mark.parametrize("step", [True, False, -1, "0", 1.0, [], 10_000])
@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en-GB", "no such step: choose one of its {count} steps, then save the file again"),
        ("es", "no tiene ese paso: elige uno de sus {count} pasos y vuelve a guardar el archivo"),
    ],
)
def test_a_step_that_is_not_there_gets_a_sentence(translator: Translator, step: Any, locale: str, said: str) -> None:
    with pytest.raises(gr.Error, match=said.format(count=len(traced(translator).output_tokens))):
        ordered(translator, "step", selection=SELECTION | {"step": step}, locale=locale)


def test_the_last_step_is_there_and_the_one_after_it_is_not(translator: Translator) -> None:
    count = len(traced(translator).output_tokens)
    assert ordered(translator, "step", "csv", selection=SELECTION | {"step": count - 1})
    with pytest.raises(gr.Error, match="no such step"):
        ordered(translator, "step", "csv", selection=SELECTION | {"step": count})


@pytest.mark.parametrize("selection", [None, 1, [1], "step"])
def test_a_step_of_no_selection_gets_a_sentence(translator: Translator, selection: Any) -> None:
    with pytest.raises(gr.Error, match="no such step"):
        ordered(translator, "step", "csv", selection=selection)


def test_a_view_of_nothing_gets_a_sentence(translator: Translator) -> None:
    nothing = {"map": "decoder_self", "layer": 0, "special": "hidden"}
    with pytest.raises(gr.Error, match="show the special tokens first"):
        ordered(translator, request=REQUEST | {"forced": ""}, selection=nothing)


@pytest.mark.parametrize("wrong", [("picture", "html"), ("video", "png"), ("trace", None), ([], "png"), (None, [])])
def test_a_file_that_is_not_offered_gets_a_sentence(translator: Translator, wrong: tuple[Any, Any]) -> None:
    with pytest.raises(gr.Error, match="There is no download of"):
        ordered(translator, *wrong)


@pytest.mark.parametrize(
    ("positions", "said"),
    [([7, 20, 4, "0"], "even number"), ([8, "x", 4, "0"], "length"), ([8, 20, 4, "a"], "Dimensions")],
)
def test_positions_that_cannot_be_drawn_get_a_sentence(translator: Translator, positions: Any, said: str) -> None:
    with pytest.raises(gr.Error, match=said):
        ordered(translator, "positions", "png", positions=positions)


def test_a_refusal_speaks_the_page_s_language_and_prints_no_traceback(translator: Translator) -> None:
    with pytest.raises(gr.Error, match="primero traduce una oración") as caught:
        ordered(translator, request=None, locale="es")
    assert caught.value.print_exception is False


def test_the_formats_follow_what_is_chosen() -> None:
    assert format_choices("board", "png") == gr.update(choices=[("HTML", "html")], value="html")
    assert format_choices("picture", "html")["value"] == "png"
    assert format_choices("heads", "pdf")["value"] == "pdf"
    assert format_choices(["x"], ["y"]) == gr.update(choices=[], value=None)


def test_every_event_is_private(translator: Translator) -> None:
    with gr.Blocks() as demo:
        fields = [gr.Number() for _ in range(4)]
        build_downloads(translator, fields, str)
    assert len(demo.fns) == 3
    assert {event.api_visibility for event in demo.fns.values()} == {"private"}
