"""What a download is made of: the sentence and the view that the page says it shows, checked before they are used."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import gradio as gr

from transformer.trace import Trace
from transformer.translator import InputError, Translator
from viz.stamp import Stamp
from viz.step import Step, step_of
from viz.text import best_language, texts
from viz.view import Selection, View, view_of


@dataclass(frozen=True)
class Order:
    """What the page asked for, as it came; whoever reads a property that is no good gets a gr.Error which says so.

    request: {text, target, beam_size, forced}; selection: the page's; positions: d_model, length, exponent of the base
    and dimensions, as the tab's fields hold them.
    """

    translator: Translator
    what: Any
    file_format: Any
    request: Any
    selection: Any
    positions: Sequence[Any]
    locale: Any

    @cached_property
    def language(self) -> str:
        return best_language(self.locale)

    @cached_property
    def words(self) -> Mapping[str, str]:
        return texts(self.language)

    @cached_property
    def trace(self) -> Trace:
        if not isinstance(self.request, dict) or not {"text", "target", "beam_size"} <= self.request.keys():
            raise refusal(self.words["download.wrong.request"])
        text, target, beam_size = (self.request[name] for name in ("text", "target", "beam_size"))
        try:
            return self.translator.trace(text, target, beam_size, self.request.get("forced"))
        except InputError as error:
            raise refusal(str(error)) from error

    @cached_property
    def stamp(self) -> Stamp:
        return Stamp.of(self.trace)

    @cached_property
    def chosen(self) -> Selection:
        try:
            return Selection.of(self.selection)
        except ValueError as error:
            raise self._no_view(error) from error

    @cached_property
    def picture(self) -> list[View]:
        """What is on show: one view, or one for each head that is drawn as lines."""
        chosen = self.chosen
        return self.heads(chosen.layer, chosen.heads) if chosen.heads else [self._view(chosen)]

    @cached_property
    def step(self) -> Step:
        """The chosen step, or the first where none is."""
        wrong = refusal(self.words["download.wrong.step"].format(count=len(self.trace.output_tokens)))
        if not isinstance(self.selection, dict):
            raise wrong
        chosen = self.selection.get("step")
        try:
            return step_of(self.trace, 0 if chosen is None else chosen)
        except ValueError as error:
            raise wrong from error

    @property
    def marked_step(self) -> int | None:
        """The chosen step's place from 0, as the views mark it; None where none is chosen."""
        return self.step.place if self.selection.get("step") is not None else None

    def heads(self, layer: int, heads: Iterable[int]) -> list[View]:
        """Single heads of a layer, seen as the selection says."""
        return [self._view(replace(self.chosen, merge="head", layer=layer, head=head, lines=())) for head in heads]

    def _view(self, selection: Selection) -> View:
        try:
            view = view_of(self.trace, selection)
        except ValueError as error:
            raise self._no_view(error) from error
        if not view.weights.size:
            raise refusal(self.words["download.wrong.empty"])
        return view

    def _no_view(self, error: ValueError) -> gr.Error:
        return refusal(self.words["download.wrong.selection"].format(message=error))


def refusal(message: str) -> gr.Error:
    """For what cannot be had: the page shows the message, the server's log has no traceback."""
    return gr.Error(message, print_exception=False)
