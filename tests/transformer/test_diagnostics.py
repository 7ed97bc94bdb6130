"""Each number of a head against one worked out by hand, and on rows whose numbers are known beforehand."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from transformer.diagnostics import diagnose, entropy
from transformer.trace import KINDS, Trace
from transformer.translator import Translator


def make_trace(**weights: list[list[float]]) -> Trace:
    """One layer and one head of (4, 4), (3, 3), (3, 4); weights that are not given are uniform, causal ones too."""
    shapes = {"encoder_self": (4, 4), "decoder_self": (3, 3), "cross": (3, 4)}
    arrays_: dict[str, Any] = {}
    for kind, shape in shapes.items():
        mask = np.tri(*shape, dtype=bool) if kind == "decoder_self" else np.ones(shape, dtype=bool)
        chosen = np.array(weights.get(kind, mask / mask.sum(-1, keepdims=True)), dtype=np.float32)[None, None]
        arrays_ |= {kind: chosen, f"{kind}_scores": np.zeros_like(chosen), f"{kind}_mask": mask}
    return Trace(
        model="tiny",
        source_text="Sí, sí",
        target="en",
        text="Yes.",
        beam_size=1,
        forced=False,
        finished=True,
        dropped=0,
        source_tokens=("<2en>", "▁Sí", "<unk>", "</s>"),
        source_surfaces=("", "▁Sí", ",", ""),
        target_tokens=("<s>", "▁Yes", "."),
        output_tokens=("▁Yes", ".", "</s>"),
        special_tokens=("<s>", "</s>", "<2en>"),
        log_probs=np.zeros(3, dtype=np.float32),
        top_k_tokens=(("▁Yes",), (".",), ("</s>",)),
        top_k_log_probs=np.zeros((3, 1), dtype=np.float32),
        **arrays_,
    )


def one(numbers: np.ndarray | None) -> float:
    assert numbers is not None
    assert numbers.shape == (1, 1)
    return float(numbers[0, 0])


#: Powers of two, so that every expected number is exact.
HALVES: list[list[float]] = [[0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25], [0, 0, 0, 1], [0.125, 0.125, 0.25, 0.5]]


def test_the_encoder_by_hand() -> None:
    found = diagnose(make_trace(encoder_self=HALVES))["encoder_self"]
    assert one(found.entropy) == (1 + 2 + 0 + 1.75) / 4
    assert one(found.special) == (0.5 + 0.5 + 1 + 0.625) / 4  # columns <2en> and </s>, not <unk>
    assert one(found.diagonal) == (0.5 + 0.25 + 0 + 0.5) / 4
    assert one(found.previous) == (0.25 + 0 + 0.25) / 3
    assert one(found.next) == (0.5 + 0.25 + 1) / 3
    assert found.alignment is None


def test_the_decoder_by_hand() -> None:
    found = diagnose(make_trace(decoder_self=[[1, 0, 0], [0.25, 0.75, 0], [0.25, 0.25, 0.5]]))["decoder_self"]
    assert one(found.entropy) == pytest.approx((0 + (0.5 + 0.75 * math.log2(4 / 3)) + 1.5) / 3)
    assert one(found.special) == (1 + 0.25 + 0.25) / 3  # column <s>
    assert one(found.diagonal) == (1 + 0.75 + 0.5) / 3
    assert one(found.previous) == (0.25 + 0.25) / 2
    assert found.next is None
    assert found.alignment is None


def test_cross_attention_by_hand() -> None:
    found = diagnose(make_trace(cross=HALVES[:3]), [[0.75]])["cross"]
    assert one(found.special) == (0.5 + 0.5 + 1) / 3  # columns of the source: <2en> and </s>
    assert one(found.diagonal) == (0.5 + 0.25 + 0) / 3
    assert one(found.previous) == (0.25 + 0) / 2
    assert one(found.next) == (0.5 + 0.25 + 1) / 3  # all three rows have a next column
    assert one(found.alignment) == 0.75


def test_rows_without_a_column_at_the_offset_do_not_count(translator: Translator) -> None:
    """A target longer than its source, and one of a single token."""
    long = translator.trace("Hoy", "en", forced="It rains a lot today and we eat bread and cheese in the park.")
    sources = len(long.source_tokens)
    assert len(long.target_tokens) > sources + 1
    cross = diagnose(long)["cross"]
    wanted = {
        "diagonal": [long.cross[1, 2, row, row] for row in range(sources)],
        "previous": [long.cross[1, 2, row, row - 1] for row in range(1, sources + 1)],
        "next": [long.cross[1, 2, row, row + 1] for row in range(sources - 1)],
    }
    for name, cells in wanted.items():
        assert getattr(cross, name)[1, 2] == pytest.approx(np.mean(cells), abs=1e-6)
    short = diagnose(translator.trace("Hoy llueve mucho.", "en", forced=""))
    assert short["decoder_self"].previous is None
    assert short["cross"].previous is None
    assert short["cross"].next is not None
    assert short["decoder_self"].diagonal.min() == 1


def test_every_head_has_its_own_numbers(translator: Translator) -> None:
    trace = translator.trace("Los niños juegan en el parque.", "en")
    for kind, found in diagnose(trace).items():
        weights = trace.weights(kind).astype(float)
        assert found.entropy.shape == found.special.shape == found.diagonal.shape == weights.shape[:2]
        for layer, head in np.ndindex(*weights.shape[:2]):
            rows = [-sum(w * math.log2(w) for w in row if w > 0) for row in weights[layer, head]]
            assert found.entropy[layer, head] == pytest.approx(np.mean(rows), abs=1e-6)
    assert tuple(diagnose(trace)) == KINDS


ROWS = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=st.floats(0, 1))


@given(ROWS)
def test_entropy_lies_between_certainty_and_chance(raw: np.ndarray) -> None:
    weights = (raw + 1e-9) / (raw + 1e-9).sum(-1, keepdims=True)
    found = entropy(weights)
    assert (found >= 0).all()
    assert (found <= math.log2(weights.shape[-1]) + 1e-9).all()


@given(st.integers(1, 200), st.data())
def test_entropy_of_one_token_and_of_all_alike(count: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, count - 1))
    assert str(entropy(np.eye(count)[place])) == "0.0"  # and not -0.0, which a page would show
    assert entropy(np.full(count, 1 / count)) == pytest.approx(math.log2(count), abs=1e-9)
