"""Masks: who may look at whom, for the sentence at hand in one batch with a longer one."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from torch import Tensor

from transformer.masks import causal_mask, decoder_mask, pad, padding_mask
from transformer.tokenizer import PADDING
from transformer.trace import Trace
from transformer.translator import Translator
from viz.board.component import masks_view
from viz.board.payload import MaskPanel, masks_payload

#: How many tokens the neighbour in the batch is longer, as far as the model's max_length allows.
LONGER = 5


def mask_panels(translator: Translator, trace: Trace) -> list[MaskPanel]:
    """The masks that the model uses for the trace's sentence when it is padded to the length of a longer one."""
    source, source_tokens = _padded(translator, trace.source_tokens)  # (1, S)
    target, target_tokens = _padded(translator, trace.target_tokens)  # (1, T)
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


def _padded(translator: Translator, tokens: Sequence[str]) -> tuple[Tensor, tuple[str, ...]]:
    """ids (1, N) and pieces of the tokens, filled up as the shorter row of a batch is."""
    tokenizer = translator.tokenizer
    ids = [tokenizer.id(piece) for piece in tokens]
    neighbour = [tokenizer.unknown_id] * min(len(ids) + LONGER, translator.model.config.max_length)
    batch = pad([ids, neighbour], tokenizer.padding_id)[:1]  # (1, N)
    return batch, tuple(tokenizer.piece(id_) for id_ in batch[0].tolist())


def _panel(name: str, rows: tuple[str, ...], columns: tuple[str, ...], mask: Tensor) -> MaskPanel:
    """mask (1, 1 or Q, K) -> a panel of (Q, K)."""
    return MaskPanel(f"mask.{name}", rows, columns, mask[0].expand(len(rows), len(columns)).numpy())


def panels_payload(translator: Translator, trace: Trace) -> str:
    """What the tab is sent for a trace."""
    return masks_payload(mask_panels(translator, trace), (*trace.special_tokens, PADDING))


def build_masks(translator: Translator, first: Trace, i18n: Callable[[str], Any]) -> gr.HTML:
    """The tab's content; gives the view, which takes `panels_payload`."""
    gr.Markdown(i18n("masks.intro"), elem_id="masks-intro")
    return masks_view(panels_payload(translator, first))
