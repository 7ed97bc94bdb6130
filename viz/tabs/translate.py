"""Sentence and result: what is typed, what the model makes of it, and what is said when it cannot."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from transformer.trace import Trace
from transformer.translator import MAX_BEAM_SIZE, MAX_CHARACTERS, InputError, Translator
from viz.board.component import notice_view, result_view
from viz.board.payload import ForcedPair, board_payload
from viz.tabs import RUNS_MODEL
from viz.tabs.masks import panels_payload

#: The first one is on the page when it opens.
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("Me gusta estudiar.", "en"),
    ("¿Dónde está la biblioteca?", "en"),
    ("El gato negro duerme en la cocina.", "en"),
    ("No sé por qué Tom llegó tarde.", "en"),
    ("I like to study.", "es"),
    ("She bought two red apples yesterday.", "es"),
    ("I have never been to Boston.", "es"),
)
#: By the language that is translated into. Each by its own name: everybody finds theirs, whatever the page's language.
DIRECTIONS = {"en": "español → English", "es": "English → español"}


class SentencePart(NamedTuple):
    """The components of the page's upper part."""

    text: gr.Textbox
    target: gr.Radio
    beam: gr.Slider
    forced: gr.Textbox
    button: gr.Button
    examples: gr.Dataset
    notice: gr.HTML
    result: gr.HTML


def first_trace(translator: Translator) -> Trace:
    """The trace that the page opens with."""
    return translator.trace(*EXAMPLES[0])


def notice(level: str, key: str, **values: str) -> str:
    """What `notice_view` shows: the sentence of a text key, filled with the values."""
    return json.dumps({"level": level, "messages": [{"key": key, "values": values}]})


def trace_payload(translator: Translator, trace: Trace, forced: str | None = None) -> str:
    """What the board is sent for a trace. forced: the text that was given as the output, if one was.

    One pass of the model for the proof, and where the output was given, the decoding of the model's own choice.
    """
    pair = None
    if forced is not None:
        own = translator.translate(trace.source_text, trace.target, trace.beam_size)
        pair = ForcedPair(forced, own.text, sum(own.log_probs), own.finished)
    return board_payload(trace, translator.proof(trace), translator.alignment, pair)


def translate(
    translator: Translator, text: str, target: str, beam_size: float, typed: str = ""
) -> tuple[Any, Any, str]:
    """(payload for the board, payload for the masks, notice). typed: the visitor's own translation; blank for none.

    Bad input leaves the last result on the page; the notice says what to do.
    """
    try:
        forced = _prescribed(translator, typed)
        trace = translator.trace(text, target, _whole(beam_size), forced)
    except InputError as error:
        if error.reason == "empty":
            return gr.skip(), gr.skip(), notice("info", "notice.empty")
        return gr.skip(), gr.skip(), notice("error", "notice.wrong", message=str(error))
    return trace_payload(translator, trace, forced), panels_payload(translator, trace), ""


def _prescribed(translator: Translator, typed: str | None) -> str | None:
    """What is to be forced as the output: None when nothing is to be seen in the box, whatever was typed there."""
    if not isinstance(typed, str):
        return typed
    kept = typed.strip()[:MAX_CHARACTERS]
    return kept if translator.tokenizer.encode(kept) else None


def _whole(number: float) -> int:
    """A slider sends 3 as 3 or 3.0; anything else goes on as it is, to be refused by name."""
    return int(number) if isinstance(number, float) and number.is_integer() else number  # type: ignore[return-value]


def build_sentence(translator: Translator, first: Trace, i18n: Callable[[str], Any]) -> SentencePart:
    """Sentence, direction, decoding, examples, notice and result; `wire_sentence` brings them to life."""
    with gr.Row(elem_id="sentence-row"):
        text = gr.Textbox(
            value=first.source_text,
            label=i18n("sentence.label"),
            placeholder=i18n("sentence.placeholder"),
            elem_id="sentence",
            scale=5,
            max_lines=4,
            autofocus=False,
        )
        target = gr.Radio(
            [(label, language) for language, label in DIRECTIONS.items()],
            value=first.target,
            label=i18n("direction.label"),
            elem_id="direction",
            scale=3,
            min_width=410,
        )
        button = gr.Button(i18n("translate.button"), variant="primary", elem_id="translate", scale=1, min_width=120)
    with gr.Row(elem_id="examples-row"):
        examples = gr.Dataset(
            components=["text"],
            samples=[[sentence] for sentence, _ in EXAMPLES],
            type="index",
            label=i18n("examples.label"),
            elem_id="examples",
            scale=6,
        )
        with (
            gr.Column(scale=1, min_width=240),
            gr.Accordion(i18n("decoding.title"), open=False, elem_id="decoding"),
        ):
            beam = gr.Slider(
                1, MAX_BEAM_SIZE, value=1, step=1, label=i18n("beam.label"), info=i18n("beam.info"), elem_id="beam"
            )
        with (
            gr.Column(scale=1, min_width=210, elem_id="pair-column"),
            gr.Accordion(i18n("pair.title"), open=False, elem_id="pair"),
        ):
            forced = gr.Textbox(
                label=i18n("pair.label"),
                info=i18n("pair.info"),
                placeholder=i18n("pair.placeholder"),
                elem_id="forced",
                max_lines=4,
            )
    said = notice_view()
    result = result_view(trace_payload(translator, first))
    return SentencePart(text, target, beam, forced, button, examples, said, result)


def wire_sentence(translator: Translator, part: SentencePart, masks: gr.HTML) -> None:
    """Enter, the button and the examples translate, and what comes out is shown everywhere.

    The visitor's own translation stays in its box until they take it out, even when the source changes: whoever mends
    a typing error, or sets one output against two sources, wants to keep it, and the result says that it was typed. An
    example empties the box, for it brings another sentence and perhaps another direction.
    """
    shown = [part.result, masks, part.notice]

    def on_translate(text: str, target: str, size: float, typed: str) -> tuple[Any, Any, str]:
        return translate(translator, text, target, size, typed)

    def on_example(index: int, size: float) -> tuple[Any, ...]:
        sentence, language = EXAMPLES[index]
        return sentence, language, "", *translate(translator, sentence, language, size)

    part.examples.click(
        on_example,
        [part.examples, part.beam],
        [part.text, part.target, part.forced, *shown],
        show_progress="hidden",
        **_EVENT,
    )
    gr.on(
        [part.button.click, part.text.submit, part.forced.submit],
        on_translate,
        [part.text, part.target, part.beam, part.forced],
        shown,
        show_progress="minimal",
        show_progress_on=[part.result],
        **_EVENT,
    )


_EVENT: dict[str, Any] = {"api_visibility": "private", "trigger_mode": "always_last", **RUNS_MODEL}
