"""The proof holds for what the model did, and for nothing else; edits do what they say and no more."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from tests.conftest import CHECKPOINT
from tests.transformer.conftest import END_ID, START_ID, tiny_model
from transformer.attention import attention
from transformer.model import Transformer
from transformer.proof import prescribed, prove, row_sum_error
from transformer.recorder import record
from transformer.tokenizer import Tokenizer
from transformer.trace import KINDS, Floats, Kind, Trace
from transformer.translator import Translator

TEXT = "Nosotros comemos pan y queso."
#: float32 arithmetic of the same numbers in the same order: measured 0.0 on x86 and expected nearly so elsewhere.
TOLERANCE = 1e-5


def translator_of(tokenizer: Tokenizer, **changes: Any) -> Translator:
    return Translator(tiny_model(**changes), tokenizer, "tiny")


def with_weights(trace: Trace, kind: Kind, weights: Floats) -> Trace:
    changes: dict[str, Any] = {kind: weights}
    return replace(trace, **changes)


def with_uniform_head(trace: Trace, kind: Kind, layer: int, head: int) -> Trace:
    """The trace as if this head had spread its weight evenly: rows still sum to 1 and keep to the mask."""
    weights, mask = trace.weights(kind).copy(), trace.mask(kind)
    weights[layer, head] = mask / mask.sum(-1, keepdims=True)
    return with_weights(trace, kind, weights)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("encoder", "decoder"), [(3, 2), (1, 4)])
@pytest.mark.parametrize("forced", [None, "We eat bread and cheese."])
def test_a_trace_s_own_weights_give_its_output(
    tokenizer: Tokenizer, norm_first: bool, encoder: int, decoder: int, forced: str | None
) -> None:
    depths = {"num_encoder_layers": encoder, "num_decoder_layers": decoder}
    translator = translator_of(tokenizer, norm_first=norm_first, **depths)
    proof = translator.proof(translator.trace(TEXT, "en", forced=forced))
    assert proof.replay < TOLERANCE
    assert proof.row_sum < 1e-6


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_other_weights_in_any_one_head_do_not_give_it(tokenizer: Tokenizer, norm_first: bool, kind: Kind) -> None:
    """Every layer and head matters: none is left out of the replay."""
    translator = translator_of(tokenizer, norm_first=norm_first)
    trace = translator.trace(TEXT, "en")
    layers, heads = trace.weights(kind).shape[:2]
    for layer in range(layers):
        for head in range(heads):
            proof = translator.proof(with_uniform_head(trace, kind, layer, head))
            assert proof.replay > 100 * TOLERANCE, (layer, head)
            assert proof.row_sum < 1e-6


def test_tampered_numbers_are_caught(translator: Translator) -> None:
    trace = translator.trace(TEXT, "en")
    cross = trace.cross.copy()
    cross[1, 2, 3] *= 1.01
    proof = translator.proof(replace(trace, cross=cross))
    assert proof.row_sum == pytest.approx(0.01, rel=1e-4)
    assert proof.replay > 10 * TOLERANCE
    log_probs = trace.log_probs.copy()
    log_probs[-1] += 0.5
    assert translator.proof(replace(trace, log_probs=log_probs)).replay == pytest.approx(0.5, rel=1e-5)


def test_the_largest_row_error_of_all_maps_counts(translator: Translator) -> None:
    trace = translator.trace(TEXT, "en")
    for kind in KINDS:
        weights = trace.weights(kind).copy()
        weights[0, 1, 0, 0] -= 0.25
        assert row_sum_error(with_weights(trace, kind, weights)) == pytest.approx(0.25, rel=1e-5)


def test_the_shipped_model_proves_its_traces() -> None:
    translator = Translator.from_pretrained(CHECKPOINT)
    trace = translator.trace("No sé por qué Tom llegó tarde.", "en", beam_size=3)
    assert translator.proof(trace).replay < 1e-4
    assert translator.proof(with_uniform_head(trace, "cross", 1, 2)).replay > 1e-3


def test_a_trace_of_another_model_is_refused(tokenizer: Tokenizer, translator: Translator) -> None:
    for changes in ({"num_encoder_layers": 2}, {"num_decoder_layers": 1}, {"num_heads": 2}):
        trace = translator_of(tokenizer, **changes).trace(TEXT, "en")
        with pytest.raises(ValueError, match="layers and heads, but the model"):
            translator.proof(trace)


def test_a_model_in_training_is_refused(tokenizer: Tokenizer) -> None:
    translator = translator_of(tokenizer)
    trace = translator.trace(TEXT, "en")
    with pytest.raises(ValueError, match=r"call model\.eval\(\) first"):
        prove(translator.model.train(), trace, [4, END_ID], [START_ID], [END_ID])


def test_prescribed_weights_are_recorded_and_scores_stay_the_model_s(translator: Translator) -> None:
    trace = with_uniform_head(translator.trace(TEXT, "en"), "encoder_self", 0, 1)
    tokenizer = translator.tokenizer
    source, target = ([tokenizer.id(piece) for piece in side] for side in (trace.source_tokens, trace.target_tokens))
    found = record(translator.model, source, target, target, edits=prescribed(trace))
    for kind in KINDS:
        np.testing.assert_array_equal(getattr(found, kind).weights, trace.weights(kind))
    np.testing.assert_array_equal(found.encoder_self.scores[0], trace.encoder_self_scores[0])
    assert np.abs(found.encoder_self.scores[1] - trace.encoder_self_scores[1]).max() > 1e-3


def test_an_edit_has_the_last_word_over_softmax_and_mask() -> None:
    query, key, value = torch.randn(2, 3), torch.randn(4, 3), torch.randn(4, 5)
    mask = torch.tensor([[True, True, False, False], [True, True, True, False]])
    plain = attention(query, key, value, mask)
    doubled = attention(query, key, value, mask, edit=lambda weights: 2 * weights)
    assert_close(doubled.weights, 2 * plain.weights)
    assert_close(doubled.output, 2 * plain.output)
    assert_close(doubled.scores, plain.scores)
    last = torch.tensor([[0.0, 0.0, 0.0, 1.0]]).expand(2, 4)
    assert_close(attention(query, key, value, mask, edit=lambda _: last).output, value[3].expand(2, 5))


def test_switching_a_head_off_is_an_edit_too(model: Transformer) -> None:
    """The same as taking the head's part out of the output projection, layer by layer and map by map."""
    source, target = [4, 20, 30, END_ID], [START_ID, 60, 61]
    d_k = model.config.d_model // model.config.num_heads

    def off(weights: torch.Tensor) -> torch.Tensor:
        keep = torch.ones(weights.size(1), 1, 1)
        keep[2] = 0
        return weights * keep

    output = [60, 61, END_ID]
    plain = record(model, source, target, output).log_probs
    for kind in KINDS:
        layers: Any = (model.encoder if kind == "encoder_self" else model.decoder).layers
        for number, layer in enumerate(layers):
            found = record(model, source, target, output, edits={(kind, number): off}).log_probs
            weight = (layer.cross_attention if kind == "cross" else layer.self_attention).output.weight
            kept = weight.detach().clone()
            with torch.no_grad():
                weight[:, 2 * d_k : 3 * d_k] = 0
                expected = record(model, source, target, output).log_probs
                weight.copy_(kept)
            np.testing.assert_allclose(found, expected, atol=1e-5)
            assert np.abs(found - plain).max() > 1e-4
