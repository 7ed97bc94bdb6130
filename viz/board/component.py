"""The board inside Gradio: what the page's head gets, and one `gr.HTML` for each place where the board draws.

Templates are empty and stay so: Gradio runs `${...}` and handlebars in a template, so whatever a visitor typed travels
as a JSON string in the value, and the page sets it as text. The scripts in the head and the components on the page may
come in either order; the queue `headlightMounts` holds the places until adapter.js takes them over.
"""

import json
from pathlib import Path

import gradio as gr

from viz.board.bundle import bundle

_FOLDER = Path(__file__).parent
_MOUNT = "(globalThis.headlightMounts ??= []).push({{view: '{view}', element, props, watch}});"


def board_head(texts: dict[str, dict[str, str]]) -> str:
    """For `launch(head=...)`: one inline script with the board and the texts of each language ("en" must be there)."""
    data = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script>\n(() => {{\n"use strict";\n{bundle(_FOLDER, "adapter.js")}\nstart({data});\n}})();\n</script>'


def board_css() -> str:
    """For `launch(css=...)`."""
    return "".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("board.css", "present.css"))


def result_view(payload: str) -> gr.HTML:
    """The translation and its pieces. Its value, from `board_payload`, feeds the attention view too."""
    return _view("result", payload)


def attention_view() -> gr.HTML:
    """All heads of a map and the chosen one large, of the trace that the result view holds."""
    return _view("attention", "")


def steps_view() -> gr.HTML:
    """One step of the decoder at a time, of the trace that the result view holds."""
    return _view("steps", "")


def masks_view(payload: str) -> gr.HTML:
    """The masks of `masks_payload`."""
    return _view("masks", payload)


def tools_view() -> gr.HTML:
    """What can be done with the page as it stands: copy a link to it, present it."""
    return _view("tools", "")


def skip_view() -> gr.HTML:
    """The way past the upper part for those who go by keys; unseen until they reach it."""
    return _view("skip", "")


def notice_view() -> gr.HTML:
    """What to tell the visitor: {"level": "error" | "warning" | "info", "messages": [{"key", "values"}]}, or ""."""
    return _view("notice", "")


def _view(name: str, value: str) -> gr.HTML:
    return gr.HTML(value, elem_id=name, html_template="", js_on_load=_MOUNT.format(view=name), apply_default_css=False)
