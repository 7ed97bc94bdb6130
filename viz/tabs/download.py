"""Downloads: the head on show as PNG or SVG, and the whole trace as JSON.

The page says which sentence and which head it shows, and the trace is computed again: decoding is deterministic, so
nothing has to be kept. The file travels inside the answer and the browser saves it; the server writes none.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from transformer.trace import Trace
from transformer.translator import InputError, Translator
from viz.figures.files import FileFormat, figure_bytes
from viz.figures.head import head_figure
from viz.tabs import RUNS_MODEL
from viz.text import best_language, texts

#: A file on its way to the browser: its name, its media type, its bytes in base64.
Download = dict[str, str]


def head_file(translator: Translator, request: Any, selection: Any, locale: Any, file_format: FileFormat) -> Download:
    """The head as a figure in the language of the locale.

    request: {text, target, beam_size}; selection: {map, layer, head}, counted from 0. Raises gr.Error.
    """
    words = texts(best_language(locale))
    trace = _trace(translator, request, words)
    kind, layer, head = _chosen(selection, words)
    try:
        attention = trace.attention(kind, layer, head)
    except ValueError as error:
        raise _refusal(words["download.wrong.selection"].format(message=error)) from error
    name = f"headlight-{kind.replace('_', '-')}-layer{layer + 1}-head{head + 1}.{file_format}"
    media_type = {"png": "image/png", "svg": "image/svg+xml"}[file_format]
    return _download(name, media_type, figure_bytes(head_figure(attention, words), file_format))


def trace_file(translator: Translator, request: Any, locale: Any) -> Download:
    """The trace as JSON. request: {text, target, beam_size}. Raises gr.Error."""
    trace = _trace(translator, request, texts(best_language(locale)))
    return _download("headlight-trace.json", "application/json", trace.to_json().encode())


def _trace(translator: Translator, request: Any, words: Mapping[str, str]) -> Trace:
    if not isinstance(request, dict) or not {"text", "target", "beam_size"} <= request.keys():
        raise _refusal(words["download.wrong.request"])
    try:
        return translator.trace(request["text"], request["target"], request["beam_size"])
    except InputError as error:
        raise _refusal(str(error)) from error


def _chosen(selection: Any, words: Mapping[str, str]) -> tuple[Any, int, int]:
    given = selection if isinstance(selection, dict) else {}
    for name, kind in (("map", str), ("layer", int), ("head", int)):
        if not isinstance(given.get(name), kind) or isinstance(given.get(name), bool):
            raise _refusal(words["download.wrong.selection"].format(message=f"{name}: {given.get(name)!r}"))
    return given["map"], given["layer"], given["head"]


def _refusal(message: str) -> gr.Error:
    return gr.Error(message, print_exception=False)


def _download(name: str, media_type: str, content: bytes) -> Download:
    return {"name": name, "type": media_type, "base64": base64.b64encode(content).decode()}


def build_downloads(translator: Translator, i18n: Callable[[str], Any]) -> None:
    """Three buttons. The page must offer window.headlight.request() and window.headlight.selection()."""

    def on_png(request: Any, selection: Any, locale: Any) -> Download:
        return head_file(translator, request, selection, locale, "png")

    def on_svg(request: Any, selection: Any, locale: Any) -> Download:
        return head_file(translator, request, selection, locale, "svg")

    def on_json(request: Any, selection: Any, locale: Any) -> Download:
        return trace_file(translator, request, locale)

    asked = [gr.JSON(visible=False) for _ in range(3)]
    ready = gr.JSON(visible=False)
    with gr.Row(elem_id="downloads"):
        for name, handler in (("png", on_png), ("svg", on_svg), ("json", on_json)):
            button = gr.Button(i18n(f"download.{name}"), size="sm", elem_id=f"download-{name}")
            button.click(
                handler,
                asked,
                ready,
                js=_ASK,
                api_visibility="private",
                show_progress="minimal",
                show_progress_on=[button],
                preprocess=False,
                **RUNS_MODEL,
            ).success(None, ready, js=_SAVE, api_visibility="private")


_ASK = "() => [window.headlight.request(), window.headlight.selection(), navigator.language]"
_SAVE = """(file) => {
    const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: file.type }));
    Object.assign(document.createElement("a"), { href: address, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}"""
