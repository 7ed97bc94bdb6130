"""Sentence and result: what is typed, what the model makes of it, and what is said when it cannot."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from transformer.trace import Trace
from transformer.translator import MAX_BEAM_SIZE, InputError, Translator
from viz.board.component import notice_view, result_view
from viz.board.payload import board_payload
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


def translate(translator: Translator, text: str, target: str, beam_size: float) -> tuple[Any, Any, str]:
    """(payload for the board, payload for the masks, notice).

    Bad input leaves the last result on the page; the notice says what to do.
    """
    try:
        trace = translator.trace(text, target, _whole(beam_size))
    except InputError as error:
        if error.reason == "empty":
            return gr.skip(), gr.skip(), notice("info", "notice.empty")
        return gr.skip(), gr.skip(), notice("error", "notice.wrong", message=str(error))
    return board_payload(trace, translator.alignment_head), panels_payload(translator, trace), ""


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
            min_width=330,
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
    said = notice_view()
    result = result_view(board_payload(first, translator.alignment_head))
    return SentencePart(text, target, beam, button, examples, said, result)


def wire_sentence(translator: Translator, part: SentencePart, masks: gr.HTML) -> None:
    """Enter, the button and the examples translate, and what comes out is shown everywhere."""
    shown = [part.result, masks, part.notice]

    def on_translate(typed: str, wanted: str, size: float) -> tuple[Any, Any, str]:
        return translate(translator, typed, wanted, size)

    def on_example(index: int, size: float) -> tuple[Any, ...]:
        sentence, language = EXAMPLES[index]
        return sentence, language, *translate(translator, sentence, language, size)

    part.examples.click(
        on_example, [part.examples, part.beam], [part.text, part.target, *shown], show_progress="hidden", **_EVENT
    )
    gr.on(
        [part.button.click, part.text.submit],
        on_translate,
        [part.text, part.target, part.beam],
        shown,
        show_progress="minimal",
        show_progress_on=[part.result],
        **_EVENT,
    )


_EVENT: dict[str, Any] = {"api_visibility": "private", "trigger_mode": "always_last", **RUNS_MODEL}
