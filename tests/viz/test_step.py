"""One step of a trace: its own numbers, under the names that the rest of the page uses."""

from typing import Any

import numpy as np
import pytest

from tests.viz.small import CANDIDATES, CHANCES, CROSS, SURFACES, TAKEN, WENT_IN, small_step, small_trace, small_view
from transformer.translator import Translator
from viz.step import step_of
from viz.view import Piece


@pytest.mark.parametrize("place", range(3))
def test_a_step_has_seen_what_went_in_up_to_it_and_takes_what_came_out(place: int) -> None:
    step, trace = small_step(place), small_trace()
    assert (step.place, step.count, step.forced) == (place, 3, False)
    assert [piece.token for piece in step.seen] == list(WENT_IN[: place + 1])
    assert step.taken.token == trace.output_tokens[place]
    assert np.float32(step.log_prob) == TAKEN[place]


def test_special_tokens_are_known_as_such() -> None:
    assert small_step(1).seen == (Piece("<s>", special=True), Piece("▁biblio"))
    assert small_step(2).taken == Piece("</s>", special=True)


@pytest.mark.parametrize("place", range(3))
def test_candidates_are_the_trace_s_best_first(place: int) -> None:
    pieces, log_probs = zip(*small_step(place).candidates, strict=True)
    assert pieces == tuple(map(Piece, CANDIDATES[place]))
    np.testing.assert_array_equal(np.array(log_probs, np.float32), CHANCES[place])


def test_weights_are_the_step_s_row_of_every_head_of_the_cross_attention() -> None:
    step = small_step(1)
    first, second = CROSS[0][1], CROSS[1][1]
    np.testing.assert_array_equal(step.weights, np.array([[first, second], [second, first]], np.float32))
    assert step.weights.dtype == np.float32


def test_columns_are_those_of_the_cross_attention_with_what_was_typed() -> None:
    assert small_step().columns == small_view().columns
    assert [piece.surface for piece in small_step().columns] == list(SURFACES)


def test_a_step_of_the_model_is_that_of_its_trace(translator: Translator) -> None:
    trace = translator.trace("¿Dónde está la biblioteca?", "en", forced="Where is it?")
    for place, candidates in enumerate(trace.top_k):
        step = step_of(trace, place)
        assert step.forced
        np.testing.assert_array_equal(step.weights, trace.cross[:, :, place])
        assert [(piece.token, log_prob) for piece, log_prob in step.candidates] == candidates
        assert (step.taken.token, step.log_prob) == (trace.output_tokens[place], trace.log_probs[place])


@pytest.mark.parametrize("place", [-1, 3, True, "0", 1.0, None])
def test_a_place_that_is_none_is_refused(place: Any) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 2, not "):
        step_of(small_trace(), place)
