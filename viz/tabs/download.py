"""Downloads: what is shown, and what lies behind it, as files.

The page says which sentence and which view it shows, and the trace is computed again: decoding is deterministic, so
nothing has to be kept. The file travels inside the answer and the browser saves it; the server writes none.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import gradio as gr

from transformer.translator import Translator
from viz.board.standalone import Board, standalone_page
from viz.figures.files import FILE_FORMATS, figure_bytes
from viz.figures.grid import grid_figure
from viz.figures.heatmap import heatmap_figure
from viz.figures.lines import lines_figure
from viz.figures.masks import masks_figure
from viz.figures.positions_file import positions_figure
from viz.figures.titles import view_title
from viz.file_names import sentence_name, view_name
from viz.stamp import APP_VERSION
from viz.tabs import RUNS_MODEL
from viz.tabs.masks import mask_panels, panels_payload
from viz.tabs.order import Order, refusal
from viz.tabs.positions import chosen_positions
from viz.tabs.translate import trace_payload
from viz.view import View
from viz.view_files import view_csv, view_json

#: A file on its way to the browser: its name, its media type, its bytes in base64.
Download = dict[str, str]

#: What can be had, and in which formats; the first of each is offered first.
FORMATS: dict[str, tuple[str, ...]] = {
    "picture": (*FILE_FORMATS, "csv", "json"),
    "heads": FILE_FORMATS,
    "masks": FILE_FORMATS,
    "positions": FILE_FORMATS,
    "trace": ("json",),
    "board": ("html",),
}
_MEDIA_TYPES = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "csv": "text/csv;charset=utf-8",
    "json": "application/json",
    "html": "text/html",
}


def ordered_file(order: Order) -> Download:
    """The file. Raises gr.Error, in the page's language, for what cannot be had."""
    if not isinstance(order.what, str) or order.file_format not in FORMATS.get(order.what, ()):
        wrong = {"what": repr(order.what), "format": repr(order.file_format)}
        raise refusal(order.words["download.wrong.kind"].format(**wrong))
    name, content = _MAKERS[order.what](order)
    encoded = base64.b64encode(content).decode()
    return {"name": f"{name}.{order.file_format}", "type": _MEDIA_TYPES[order.file_format], "base64": encoded}


def _picture(order: Order) -> tuple[str, bytes]:
    view, words = order.view, order.words
    name, title = view_name(view.selection), view_title(view, words)
    if order.file_format == "csv":
        # Spreadsheets take the text for UTF-8 only when it begins with this mark; pandas passes over it.
        return name, view_csv(view, title, order.stamp.line(words)).encode("utf-8-sig")
    if order.file_format == "json":
        return name, view_json(view, title, order.stamp).encode()
    figure = lines_figure(_strands(order), words) if view.selection.view == "lines" else heatmap_figure(view, words)
    return name, figure_bytes(figure, order.file_format, order.stamp.line(words))


def _strands(order: Order) -> list[View]:
    """The picture's view, and in lines those of more heads of its layer."""
    chosen = order.chosen
    if chosen.merge != "head":
        return [order.view]
    return order.heads(chosen.layer, dict.fromkeys((chosen.head, *chosen.lines)))


def _heads(order: Order) -> tuple[str, bytes]:
    kind = order.chosen.map
    layers, heads = order.trace.weights(kind).shape[:2]
    figure = grid_figure([order.heads(layer, range(heads)) for layer in range(layers)], order.words)
    return view_name(order.chosen, "all-heads"), figure_bytes(figure, order.file_format, order.stamp.line(order.words))


def _masks(order: Order) -> tuple[str, bytes]:
    figure = masks_figure(mask_panels(order.translator, order.trace), order.words)
    return "headlight-masks", figure_bytes(figure, order.file_format, order.stamp.line(order.words))


def _positions(order: Order) -> tuple[str, bytes]:
    try:
        chosen = chosen_positions(order.positions, order.words)
    except ValueError as error:
        raise refusal(str(error)) from error
    stamp = order.words["stamp.app"].format(app_version=APP_VERSION)
    figure = positions_figure(*chosen, order.words)
    return "headlight-positions", figure_bytes(figure, order.file_format, stamp)


def _whole_trace(order: Order) -> tuple[str, bytes]:
    return f"headlight-trace{sentence_name(order.trace.source_text)}", order.trace.to_json().encode()


def _whole_board(order: Order) -> tuple[str, bytes]:
    trace, translator = order.trace, order.translator
    payload = trace_payload(translator, trace, order.request.get("forced"))
    board = Board(trace.source_text, payload, panels_payload(translator, trace), asdict(order.chosen))
    title = f"{trace.source_text} → {trace.text} · Headlight"
    page = standalone_page(board, title, order.stamp.line(order.words), order.words, order.language)
    return f"headlight-board{sentence_name(trace.source_text)}", page.encode()


_MAKERS: dict[str, Callable[[Order], tuple[str, bytes]]] = {
    "picture": _picture,
    "heads": _heads,
    "masks": _masks,
    "positions": _positions,
    "trace": _whole_trace,
    "board": _whole_board,
}


def format_choices(what: Any, file_format: Any) -> dict[str, Any]:
    """What the format's list holds once `what` is chosen; the format stays where there is such a file."""
    formats = FORMATS.get(what, ()) if isinstance(what, str) else ()
    kept = file_format if file_format in formats else next(iter(formats), None)
    return gr.update(choices=_named(formats), value=kept)


def _named(formats: Sequence[str]) -> list[tuple[str, str]]:
    return [(file_format.upper(), file_format) for file_format in formats]


def build_downloads(translator: Translator, positions: Sequence[Any], i18n: Callable[[str], Any]) -> None:
    """What to save, as what, and a button. positions: the four fields of the Positions tab.

    The page must offer window.headlight.request(), .selection() and .language.
    """
    with gr.Row(elem_id="downloads"):
        what = gr.Dropdown(
            [(i18n(f"download.what.{name}"), name) for name in FORMATS],
            value="picture",
            label=i18n("download.what"),
            filterable=False,
            interactive=True,
            elem_id="download-what",
            min_width=200,
            scale=0,
        )
        file_format = gr.Dropdown(
            _named(FORMATS["picture"]),
            value=FORMATS["picture"][0],
            label=i18n("download.format"),
            filterable=False,
            interactive=True,
            elem_id="download-format",
            min_width=100,
            scale=0,
        )
        button = gr.Button(i18n("download.button"), elem_id="download", min_width=140, scale=0)
    asked = [gr.JSON(visible=False) for _ in range(3)]
    ready = gr.JSON(visible=False)

    def on_button(
        kind: Any, suffix: Any, d_model: Any, length: Any, base: Any, dimensions: Any, *said: Any
    ) -> Download:
        request, selection, locale = said
        of_positions = (d_model, length, base, dimensions)
        return ordered_file(Order(translator, kind, suffix, request, selection, of_positions, locale))

    what.change(
        format_choices,
        [what, file_format],
        file_format,
        api_visibility="private",
        show_progress="hidden",
        queue=False,
        preprocess=False,
    )
    button.click(
        on_button,
        [what, file_format, *positions, *asked],
        ready,
        js=_ASK,
        api_visibility="private",
        show_progress="minimal",
        show_progress_on=[button],
        preprocess=False,
        **RUNS_MODEL,
    ).success(None, ready, js=_SAVE, api_visibility="private")


_ASK = """(...values) => {
    const { request, selection, language } = window.headlight;
    return [...values.slice(0, 6), request(), selection(), language];
}"""
_SAVE = """(file) => {
    const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: file.type }));
    Object.assign(document.createElement("a"), { href: address, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}"""
