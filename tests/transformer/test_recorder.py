"""What is recorded is what the model did when it decoded."""

import numpy as np
import pytest
import torch

from tests.transformer.conftest import END_ID, START_ID, tiny_model
from transformer.decoding import Decoder
from transformer.model import Transformer
from transformer.recorder import MapRecord, Recording, record

SOURCE = [4, 20, 30, 40, 50, END_ID]
OUTPUT = [60, 61, 62, 63, 64, 65, END_ID]
TARGET = [START_ID, *OUTPUT[:-1]]


@pytest.fixture(scope="module")
def recording(model: Transformer) -> Recording:
    return record(model, SOURCE, TARGET, OUTPUT, k=5)


def test_shapes_follow_the_depths_of_encoder_and_decoder(recording: Recording) -> None:
    assert recording.encoder_self.weights.shape == (3, 4, 6, 6)
    assert recording.decoder_self.weights.shape == (2, 4, 7, 7)
    assert recording.cross.weights.shape == (2, 4, 7, 6)
    for part in recording[:3]:
        assert isinstance(part, MapRecord)
        assert part.scores.shape == part.weights.shape
        assert part.weights.dtype == part.scores.dtype == np.float32


def test_rows_sum_to_one_and_the_future_is_exactly_zero(recording: Recording) -> None:
    for part in (recording.encoder_self, recording.decoder_self, recording.cross):
        np.testing.assert_allclose(part.weights.sum(-1), 1, atol=1e-6)
        assert (part.weights[..., ~part.mask] == 0).all()
        assert (part.weights[..., part.mask] > 0).all()
    assert recording.decoder_self.mask.tolist() == np.tri(7, dtype=bool).tolist()
    assert recording.encoder_self.mask.all()
    assert recording.cross.mask.all()


def test_weights_are_the_softmax_of_the_allowed_scores(recording: Recording) -> None:
    for part in (recording.encoder_self, recording.decoder_self, recording.cross):
        allowed = np.exp(part.scores.astype(np.float64)) * part.mask
        np.testing.assert_allclose(part.weights, allowed / allowed.sum(-1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("norm_first", [True, False])
def test_rows_equal_those_met_step_by_step_with_the_cache(norm_first: bool) -> None:
    model = tiny_model(norm_first=norm_first)
    whole = record(model, SOURCE, TARGET, OUTPUT)
    with torch.inference_mode():
        encoded = model.encode(torch.tensor([SOURCE]))
        cache = model.decoder.start_cache(encoded.memory)
        for step, id_ in enumerate(TARGET):
            x = model.target_embedding(torch.tensor([[id_]]), step)
            decoded = model.decoder(x, cache, None, None)
            for layer, attended in enumerate(decoded.attentions):
                own, crossed = attended.self_attention, attended.cross_attention
                for met, kept in ((own, whole.decoder_self), (crossed, whole.cross)):
                    length = met.weights.size(-1)
                    np.testing.assert_allclose(met.weights[0, :, 0], kept.weights[layer, :, step, :length], atol=1e-5)
                    np.testing.assert_allclose(met.scores[0, :, 0], kept.scores[layer, :, step, :length], atol=1e-5)
        for layer, attended in enumerate(encoded.attentions):
            np.testing.assert_allclose(attended.weights[0], whole.encoder_self.weights[layer], atol=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_log_probs_are_those_that_decoding_met(model: Transformer, beam_size: int) -> None:
    for first in (20, 30, 40):
        source = [4, first, 31, 32, END_ID]
        found = Decoder(model, START_ID, END_ID)([source], beam_size)[0]
        whole = record(model, source, [START_ID, *found.ids[:-1]], found.ids)
        np.testing.assert_allclose(whole.log_probs, found.log_probs, atol=1e-5)
        if beam_size == 1:
            assert [row[0] for row in whole.top_k_ids] == found.ids


def test_top_k_are_the_likeliest_best_first(model: Transformer, recording: Recording) -> None:
    with torch.inference_mode():
        table = model(torch.tensor([SOURCE]), torch.tensor([TARGET]))[0].log_softmax(-1).numpy()
    order = np.argsort(-table, axis=1)[:, :5]
    assert recording.top_k_ids == order.tolist()
    np.testing.assert_allclose(recording.top_k_log_probs, np.take_along_axis(table, order, 1), atol=1e-6)
    np.testing.assert_allclose(recording.log_probs, table[np.arange(7), OUTPUT], atol=1e-6)


def test_k_is_cut_at_the_vocabulary() -> None:
    model = tiny_model(source_vocab_size=6, target_vocab_size=6)
    assert record(model, [4, 3], [2], [3], k=9).top_k_log_probs.shape == (1, 6)


def test_a_model_in_training_is_refused() -> None:
    with pytest.raises(ValueError, match=r"call model\.eval\(\) first"):
        record(tiny_model().train(), SOURCE, TARGET, OUTPUT)


def test_nothing_recorded_holds_on_to_the_graph(recording: Recording) -> None:
    assert all(isinstance(array, np.ndarray) for part in recording[:3] for array in part)
