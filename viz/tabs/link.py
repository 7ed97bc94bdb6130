"""Opening a link: the page reads the fragment of its address, and is sent the translation that the link asks for.

Nothing is kept for a link. It holds the sentence and the settings, and decoding is deterministic.
"""

from collections.abc import Mapping
from typing import Any

import gradio as gr

from transformer.translator import Translator
from viz.tabs import RUNS_MODEL
from viz.tabs.translate import EXAMPLES, SentencePart, translate

#: The form (text, direction, beam size, the visitor's own translation), then what `translate` gives.
Opened = tuple[Any, Any, Any, Any, Any, Any, str]


def open_link(translator: Translator, asked: Mapping[str, Any]) -> Opened:
    """asked: any of {text, target, beam_size, forced}; what is missing is as on a page that has just been opened."""
    text, target = EXAMPLES[0]
    form = (
        asked.get("text", text),
        asked.get("target", target),
        asked.get("beam_size", 1),
        asked.get("forced") or "",
    )
    return *form, *translate(translator, *form)


def build_link(translator: Translator, demo: gr.Blocks, part: SentencePart, masks: gr.HTML) -> None:
    """Open links when the page does, and when adapter.js presses the button because the fragment has changed."""
    asked = gr.JSON(visible=False)
    again = gr.Button(visible="hidden", elem_id="open-link")

    def on_link(request: Any) -> Opened:
        if not isinstance(request, dict):
            return *[gr.skip()] * 6, gr.skip()
        return open_link(translator, request)

    gr.on(
        [demo.load, again.click],
        on_link,
        [asked],
        [part.text, part.target, part.beam, part.forced, part.result, masks, part.notice],
        js=_ASK,
        preprocess=False,
        api_visibility="private",
        trigger_mode="always_last",
        show_progress="minimal",
        show_progress_on=[part.result],
        **RUNS_MODEL,
    )


#: The board may come later than this event, so the question waits where places wait. Null where there is no link.
_ASK = "() => new Promise((answer) => (globalThis.headlightMounts ??= []).push({ view: 'link', answer }))"
