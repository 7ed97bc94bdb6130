"""Attention: the board with all heads, and downloads of what it shows."""

from collections.abc import Callable
from typing import Any

from transformer.translator import Translator
from viz.board.component import attention_view
from viz.tabs.download import build_downloads


def build_attention(translator: Translator, i18n: Callable[[str], Any]) -> None:
    """The tab's content. The board reads the trace from the result, which stands above the tabs."""
    attention_view()
    build_downloads(translator, i18n)
