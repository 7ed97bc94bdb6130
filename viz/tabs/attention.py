"""Attention: the board with all heads, the sentence of caution beside it, and the downloads of what it shows."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from transformer.translator import Translator
from viz.board.component import attention_view
from viz.tabs.download import build_downloads


def build_attention(translator: Translator, i18n: Callable[[str], Any]) -> None:
    """The tab's content. The board reads the trace from the result, which stands above the tabs."""
    attention_view()
    build_downloads(translator, i18n)
    gr.Markdown(i18n("attention.caution"), elem_id="caution")
