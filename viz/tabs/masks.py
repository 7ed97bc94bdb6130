"""Masks: who may look at whom, for the sentence at hand in one batch with a longer one."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from torch import Tensor

from transformer.masks import causal_mask, decoder_mask, pad, padding_mask
from transformer.tokenizer import PADDING
from transformer.trace import Trace
from transformer.translator import InputError, Translator
from viz.board.component import masks_view
from viz.board.payload import MaskPanel, masks_payload

#: Joined to the sentence to make the longer one that stands beside it, so it is longer whatever was typed.
COMPANIONS = {"en": "Y también leo libros.", "es": "And I also read books."}


def mask_panels(translator: Translator, trace: Trace) -> list[MaskPanel]:
    """The masks that the model uses for the trace's sentence when it is padded to the length of a longer one."""
    longer = translator.trace(f"{trace.source_text} {COMPANIONS[trace.target]}", trace.target, trace.beam_size)
    source, source_tokens = _padded(translator, trace.source_tokens, len(longer.source_tokens))  # (1, S)
    target, target_tokens = _padded(translator, trace.target_tokens, len(longer.target_tokens))  # (1, T)
    padding_id = translator.tokenizer.padding_id
    of_source, of_target = padding_mask(source, padding_id), padding_mask(target, padding_id)  # (1, 1, S), (1, 1, T)
    causal = causal_mask(target.size(1))  # (1, T, T)
    combined = decoder_mask(target, padding_id)  # (1, T, T)
    return [
        _panel("encoder_padding", source_tokens, source_tokens, of_source),
        _panel("decoder_padding", target_tokens, target_tokens, of_target),
        _panel("decoder_causal", target_tokens, target_tokens, causal),
        _panel("decoder_combined", target_tokens, target_tokens, combined),
        _panel("cross", target_tokens, source_tokens, of_source),
    ]


def _padded(translator: Translator, tokens: Sequence[str], length: int) -> tuple[Tensor, tuple[str, ...]]:
    """ids (1, N) and pieces of the tokens, filled up to the length as the shorter row of a batch is."""
    tokenizer = translator.tokenizer
    ids = [tokenizer.id(piece) for piece in tokens]
    batch = pad([ids, [tokenizer.unknown_id] * length], tokenizer.padding_id)[:1]  # (1, N)
    return batch, tuple(tokenizer.piece(id_) for id_ in batch[0].tolist())


def _panel(name: str, rows: tuple[str, ...], columns: tuple[str, ...], mask: Tensor) -> MaskPanel:
    """mask (1, 1 or Q, K) -> a panel of (Q, K)."""
    return MaskPanel(f"mask.{name}", rows, columns, mask[0].expand(len(rows), len(columns)).numpy())


def _payload(translator: Translator, trace: Trace) -> str:
    return masks_payload(mask_panels(translator, trace), (*trace.special_tokens, PADDING))


def masks_of(translator: Translator, request: Any) -> Any:
    """Payload for the sentence on the page; request is {text, target, beam_size}. Bad requests change nothing."""
    try:
        trace = translator.trace(request["text"], request["target"], request["beam_size"])
    except (InputError, KeyError, TypeError):
        return gr.skip()
    return _payload(translator, trace)


def build_masks(translator: Translator, first: Trace, result: gr.HTML, i18n: Callable[[str], Any]) -> None:
    """The tab's content, drawn anew whenever the result changes."""
    gr.Markdown(i18n("masks.intro"), elem_id="masks-intro")
    view = masks_view(_payload(translator, first))
    request = gr.JSON(visible=False)

    def on_result(asked: Any) -> Any:
        return masks_of(translator, asked)

    result.change(
        on_result,
        request,
        view,
        js="() => [window.headlight.request()]",
        api_visibility="private",
        show_progress="hidden",
        trigger_mode="always_last",
    )
