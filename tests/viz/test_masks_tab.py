"""The Masks tab shows the masks that the model uses, for the sentence padded beside a longer one."""

import base64
import json

import numpy as np
import pytest
import torch

from transformer.masks import pad
from transformer.tokenizer import PADDING
from transformer.translator import Translator
from viz.tabs.masks import mask_panels, panels_payload


@pytest.mark.parametrize(("text", "target"), [("Me gusta estudiar.", "en"), ("Hello", "es"), ("Hola", "en")])
def test_only_padding_is_forbidden_and_only_the_past_is_allowed(translator: Translator, text: str, target: str) -> None:
    trace = translator.trace(text, target)
    panels = {panel.id: panel for panel in mask_panels(translator, trace)}
    assert list(panels) == [
        "mask.encoder_padding",
        "mask.decoder_padding",
        "mask.decoder_causal",
        "mask.decoder_combined",
        "mask.cross",
    ]
    for panel in panels.values():
        real = np.array([token != PADDING for token in panel.column_tokens])
        assert 0 < real.sum() < len(real)
        rows, columns = np.indices(panel.allowed.shape)
        expected = {
            "mask.decoder_causal": columns <= rows,
            "mask.decoder_combined": (columns <= rows) & real[columns],
        }.get(panel.id, real[columns])
        np.testing.assert_array_equal(panel.allowed, expected, err_msg=panel.id)
    encoder, cross = panels["mask.encoder_padding"], panels["mask.cross"]
    assert encoder.row_tokens == encoder.column_tokens == cross.column_tokens
    assert encoder.row_tokens[: len(trace.source_tokens)] == trace.source_tokens
    assert cross.row_tokens == panels["mask.decoder_causal"].row_tokens
    assert cross.row_tokens[: len(trace.target_tokens)] == trace.target_tokens


def test_the_model_obeys_these_masks(translator: Translator) -> None:
    """Where a panel forbids, the model's own weights are exactly 0, in the padded row of a batch."""
    trace = translator.trace("Me gusta estudiar.", "en")
    panels = {panel.id: panel for panel in mask_panels(translator, trace)}
    tokenizer, model = translator.tokenizer, translator.model
    sides = {}
    for name, panel in (("source", panels["mask.encoder_padding"]), ("target", panels["mask.decoder_causal"])):
        ids = [tokenizer.id(token) for token in panel.row_tokens]
        sides[name] = pad([ids, [tokenizer.unknown_id] * len(ids)], tokenizer.padding_id)
    with torch.inference_mode():
        encoded = model.encode(sides["source"])
        decoded = model.decode(sides["target"], encoded)
    of_panel = {
        "mask.encoder_padding": [layer.weights for layer in encoded.attentions],
        "mask.decoder_combined": [layer.self_attention.weights for layer in decoded.attentions],
        "mask.cross": [layer.cross_attention.weights for layer in decoded.attentions],
    }
    for id_, layers in of_panel.items():
        allowed = panels[id_].allowed
        for weights in layers:
            heads = weights[0].numpy()  # (H, Q, K)
            assert (heads[:, ~allowed] == 0).all()
            np.testing.assert_allclose(heads.sum(-1), 1, atol=1e-5)


def test_the_payload_is_that_of_the_trace(translator: Translator) -> None:
    payload = json.loads(panels_payload(translator, translator.trace("I like to study.", "es")))
    first = payload["panels"][0]
    cells = np.frombuffer(base64.b64decode(first["allowed"]), dtype=np.uint8)
    assert cells.size == len(first["rows"]) * len(first["columns"])
    assert first["rows"][0] == "<2es>"
    assert PADDING in payload["specialTokens"]


def test_a_sentence_as_long_as_the_model_reads_is_not_padded(translator: Translator) -> None:
    trace = translator.trace("Me gusta estudiar por la noche. " * 40, "en")
    encoder = mask_panels(translator, trace)[0]
    assert len(encoder.row_tokens) == translator.model.config.max_length
    assert PADDING not in encoder.row_tokens
    assert encoder.allowed.all()
