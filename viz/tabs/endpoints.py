"""The two public endpoints, /translate and /trace: named arguments, JSON results, errors that say what may be sent."""

import json
from typing import Any

import gradio as gr

from transformer.translator import InputError, Translator
from viz.tabs import RUNS_MODEL


def build_endpoints(translator: Translator) -> None:
    """Publish both on the app's API page. `gr.api` hands values over as they came, so the Translator checks them."""

    def translate(text: str, target: str = "en", beam_size: int = 1) -> dict[str, Any]:
        """Translate a text.

        Args:
            text: what to translate; longer than the model reads, it is cut, and `dropped` counts the tokens left out
            target: the language to translate into, "en" or "es"
            beam_size: 1 for greedy decoding, up to 12 for beam search
        """
        try:
            done = translator.translate(text, target, beam_size)
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from error
        return {
            "text": done.text,
            "tokens": list(done.tokens),
            "log_probs": list(done.log_probs),
            "finished": done.finished,
            "dropped": done.dropped,
        }

    def trace(text: str, target: str = "en", forced: str | None = None) -> dict[str, Any]:
        """Translate a text greedily and give all that the model did: docs/trace-format.md tells the fields.

        Args:
            text: what to translate
            target: the language to translate into, "en" or "es"
            forced: a text to be taken as the output instead of the model's own choice
        """
        try:
            return json.loads(translator.trace(text, target, forced=forced).to_json())
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from error

    gr.api(translate, api_name="translate", **RUNS_MODEL)
    gr.api(trace, api_name="trace", **RUNS_MODEL)
