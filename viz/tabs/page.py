"""The whole page: header, sentence and result, tabs, foot; and the page that stands in when there is no model."""

from pathlib import Path
from typing import Any

import gradio as gr

from transformer.translator import Translator
from viz.board.component import attention_view, board_css, board_head, skip_view, steps_view, tools_view
from viz.tabs.download import build_downloads
from viz.tabs.endpoints import build_endpoints
from viz.tabs.link import build_link
from viz.tabs.masks import build_masks
from viz.tabs.positions import build_positions_tab
from viz.tabs.translate import build_sentence, first_trace, wire_sentence
from viz.text import LANGUAGES, texts

I18N = gr.I18n(**{language: texts(language) for language in LANGUAGES})
_BLOCKS: dict[str, Any] = {"title": "Headlight", "analytics_enabled": False, "delete_cache": (3600, 3600)}
_FONTS = ["system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "Noto Sans", "sans-serif"]
_MONO = ["ui-monospace", "Consolas", "Menlo", "DejaVu Sans Mono", "monospace"]


def build_page(translator: Translator) -> gr.Blocks:
    with gr.Blocks(**_BLOCKS) as demo:
        skip_view()
        _header()
        first = first_trace(translator)
        sentence = build_sentence(translator, first, I18N)
        tools_view()
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab(I18N("tab.attention"), id="attention", elem_id="tab-attention"):
                attention_view()
            with gr.Tab(I18N("tab.steps"), id="steps", elem_id="tab-steps"):
                steps_view()
            with gr.Tab(I18N("tab.positions"), id="positions", elem_id="tab-positions") as positions:
                fields = build_positions_tab(positions, I18N)
            with gr.Tab(I18N("tab.masks"), id="masks", elem_id="tab-masks"):
                masks = build_masks(translator, first, I18N)
        build_downloads(translator, fields, I18N)
        gr.Markdown(I18N("foot.corpus"), elem_id="foot")
        wire_sentence(translator, sentence, masks)
        build_link(translator, demo, sentence, masks)
        build_endpoints(translator)
    return demo


def build_failure_page(message: str) -> gr.Blocks:
    """What visitors see when the model cannot be loaded: the sentence that says which file, and what to do."""
    with gr.Blocks(**_BLOCKS) as demo:
        _header()
        gr.Markdown(I18N("failure.title"), elem_id="failure-title")
        gr.Textbox(message, show_label=False, interactive=False, lines=3, elem_id="failure")
    return demo


def launch_options() -> dict[str, Any]:
    """What `launch` needs so that the page looks as meant and asks nothing of other hosts."""
    return {
        "i18n": I18N,
        "theme": _theme(),
        "css": board_css() + (Path(__file__).parent / "page.css").read_text(encoding="utf-8"),
        "head": board_head({language: texts(language) for language in LANGUAGES}),
        "run_history": False,
        "ssr_mode": False,
        "footer_links": ["api"],
    }


def _theme() -> gr.themes.Base:
    """Teal, as in the middle of the weights' colour map; dark enough under white text and on a white page (5.5:1)."""
    return gr.themes.Default(primary_hue="teal", font=_FONTS, font_mono=_MONO).set(
        color_accent="*primary_700",  # page.css has the one for a dark page
        body_text_color_subdued="*neutral_600",
        checkbox_border_color="*neutral_500",
        checkbox_border_color_dark="*neutral_400",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
    )


def _header() -> None:
    with gr.Column(elem_id="header"):
        gr.Markdown("# Headlight")
        gr.Markdown(I18N("page.tagline"))
