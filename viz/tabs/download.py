"""Downloads: what is shown, and what lies behind it, as files.

The page says which sentence and which view it shows, and the trace is computed again: decoding is deterministic, so
nothing has to be kept. The file travels inside the answer and the browser saves it; the server writes none.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import gradio as gr
from matplotlib.figure import Figure

from transformer.translator import Translator
from viz.board.standalone import Board, standalone_page
from viz.figures.files import FILE_FORMATS, figure_bytes
from viz.figures.grid import grid_figure
from viz.figures.heatmap import heatmap_figure
from viz.figures.lines import lines_figure
from viz.figures.masks import masks_figure
from viz.figures.positions_file import positions_figure
from viz.figures.step import step_figure
from viz.figures.titles import grid_title, lines_title, next_line, positions_title, seen_line, step_title
from viz.file_names import sentence_name, step_name, view_name
from viz.mask_files import masks_csv, masks_json
from viz.position_files import positions_csv, positions_json
from viz.stamp import APP_VERSION
from viz.step_files import step_csv, step_json
from viz.tabs import RUNS_MODEL
from viz.tabs.masks import mask_panels, panels_payload
from viz.tabs.order import Order, refusal
from viz.tabs.positions import chosen_positions
from viz.tabs.translate import trace_payload
from viz.view import View
from viz.view_files import view_csv, view_json, views_csv, views_json

#: A file on its way to the browser: its name, its media type, its bytes in base64.
Download = dict[str, str]

#: A figure, and the numbers that it draws.
_FIGURE = (*FILE_FORMATS, "csv", "json")
#: What can be had, and in which formats; the first of each is offered first.
FORMATS: dict[str, tuple[str, ...]] = {
    "picture": _FIGURE,
    "heads": _FIGURE,
    "step": _FIGURE,
    "masks": _FIGURE,
    "positions": _FIGURE,
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
    """The numbers of one view are a matrix, those of several heads, drawn as lines, a table of all their cells."""
    views, words = order.picture, order.words
    view, title, name = views[0], lines_title(views, words), view_name(order.chosen)
    as_lines = view.selection.view == "lines"
    draw = partial(lines_figure, views, words) if as_lines else partial(heatmap_figure, view, words)
    if len(views) > 1:
        return name, _file_of_views(order, draw, views, title)
    stamp = order.stamp.line(words)
    csv, json = partial(view_csv, view, [title, stamp]), partial(view_json, view, title, order.stamp)
    return name, _file(order, stamp, draw, csv, json)


def _heads(order: Order) -> tuple[str, bytes]:
    layers, heads = order.trace.weights(order.chosen.map).shape[:2]
    grid = [order.heads(layer, range(heads)) for layer in range(layers)]
    views = [view for row in grid for view in row]
    draw = partial(grid_figure, grid, order.words)
    return view_name(order.chosen, "all-heads"), _file_of_views(order, draw, views, grid_title(views[0], order.words))


def _step(order: Order) -> tuple[str, bytes]:
    step, words = order.step, order.words
    title, stamp = step_title(step, words), order.stamp.line(words)
    told = [title, stamp, words["download.counting"], seen_line(step, words), next_line(step, words)]
    json = partial(step_json, step, title, order.stamp)
    return step_name(step), _file(order, stamp, partial(step_figure, step, words), partial(step_csv, step, told), json)


def _file_of_views(order: Order, draw: Callable[[], Figure], views: Sequence[View], title: str) -> bytes:
    stamp = order.stamp.line(order.words)
    csv = partial(views_csv, views, [title, stamp, order.words["download.counting"]])
    return _file(order, stamp, draw, csv, partial(views_json, views, title, order.stamp))


def _masks(order: Order) -> tuple[str, bytes]:
    panels, title = mask_panels(order.translator, order.trace), order.words["figure.title.masks"]
    stamp = order.stamp.line(order.words)
    draw = partial(masks_figure, panels, order.words)
    csv = partial(masks_csv, panels, [title, stamp])
    return "headlight-masks", _file(order, stamp, draw, csv, partial(masks_json, panels, title, order.stamp))


def _positions(order: Order) -> tuple[str, bytes]:
    try:
        chosen = chosen_positions(order.positions, order.words)
    except ValueError as error:
        raise refusal(str(error)) from error
    title = positions_title(chosen.table, chosen.base, order.words)
    stamp = order.words["stamp.app"].format(app_version=APP_VERSION)
    draw = partial(positions_figure, *chosen, order.words)
    csv = partial(positions_csv, chosen.table, [title, stamp])
    return "headlight-positions", _file(order, stamp, draw, csv, partial(positions_json, *chosen, title))


def _file(
    order: Order, stamp: str, draw: Callable[[], Figure], csv: Callable[[], str], json: Callable[[], str]
) -> bytes:
    """A figure or its numbers: only what the order asks for is made."""
    if order.file_format == "csv":
        # Spreadsheets take the text for UTF-8 only when it begins with this mark; pandas passes over it.
        return csv().encode("utf-8-sig")
    if order.file_format == "json":
        return json().encode()
    return figure_bytes(draw(), order.file_format, stamp)


def _whole_trace(order: Order) -> tuple[str, bytes]:
    return f"headlight-trace{sentence_name(order.trace.source_text)}", order.trace.to_json().encode()


def _whole_board(order: Order) -> tuple[str, bytes]:
    trace, translator = order.trace, order.translator
    payload = trace_payload(translator, trace, order.request.get("forced"))
    shown = asdict(order.chosen) | {"step": order.marked_step}
    board = Board(trace.source_text, payload, panels_payload(translator, trace), shown)
    title = f"{trace.source_text} → {trace.text} · Headlight"
    page = standalone_page(board, title, order.stamp.line(order.words), order.words, order.language)
    return f"headlight-board{sentence_name(trace.source_text)}", page.encode()


_MAKERS: dict[str, Callable[[Order], tuple[str, bytes]]] = {
    "picture": _picture,
    "heads": _heads,
    "step": _step,
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
