"""The payload carries the trace to the page bit for bit: decoded here by hand, as the page does it."""

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from transformer.diagnostics import diagnose
from transformer.proof import Proof
from transformer.trace import KINDS, Alignment, AlignmentHead, Trace
from viz.board.payload import ForcedPair, MaskPanel, board_payload, in_steps, masks_payload

LAYERS = {"encoder_self": 3, "decoder_self": 2, "cross": 2}
HEADS = 2
SOURCE = ("<2en>", "▁Sí", "<unk>", "</s>")
TARGET = ("<s>", "▁Yes", ".")
OUTPUT = ("▁Yes", ".", "</s>")
PROOF = Proof(1.5e-7, 2.5e-6)
ALIGNMENT = Alignment(AlignmentHead(1, 0, 0.75, True), ((0.25, 0.5), (0.75, 0.125)))


def softmax_rows(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    exponents = np.where(mask, np.exp(scores), 0)
    return (exponents / exponents.sum(-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def trace() -> Trace:
    """Random weights, a causal decoder, and an encoder deeper than the decoder."""
    random = np.random.default_rng(0)
    sides = {"encoder_self": (4, 4), "decoder_self": (3, 3), "cross": (3, 4)}
    arrays: dict[str, Any] = {}
    for kind, shape in sides.items():
        mask = np.tril(np.ones(shape, dtype=bool)) if kind == "decoder_self" else np.ones(shape, dtype=bool)
        scores = random.normal(size=(LAYERS[kind], HEADS, *shape)).astype(np.float32)
        arrays |= {kind: softmax_rows(scores, mask), f"{kind}_scores": scores, f"{kind}_mask": mask}
    return Trace(
        model="tiny",
        source_text="Sí </script>",
        target="en",
        text="Yes.",
        beam_size=4,
        forced=False,
        finished=True,
        dropped=2,
        source_tokens=SOURCE,
        source_surfaces=("", "▁Sí", "<", ""),
        target_tokens=TARGET,
        output_tokens=OUTPUT,
        special_tokens=("<s>", "</s>", "<2en>"),
        log_probs=np.array([-0.1, -0.2, -0.3], dtype=np.float32),
        top_k_tokens=(("▁Yes", "▁No"), (".", "!"), ("</s>", ".")),
        top_k_log_probs=np.array([[-0.1, -3], [-0.2, -4], [-0.3, -5]], dtype=np.float32),
        **arrays,
    )


def unpacked(packed: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed, validate=True), dtype)


def test_texts_tokens_and_probabilities_arrive_as_they_are(trace: Trace) -> None:
    got = json.loads(board_payload(trace, PROOF))
    expected = {
        "version": 2,
        "model": "tiny",
        "sourceText": "Sí </script>",
        "target": "en",
        "text": "Yes.",
        "beamSize": 4,
        "forced": False,
        "finished": True,
        "dropped": 2,
        "sourceTokens": list(SOURCE),
        "sourceSurfaces": ["", "▁Sí", "<", ""],
        "targetTokens": list(TARGET),
        "outputTokens": list(OUTPUT),
        "specialTokens": ["<s>", "</s>", "<2en>"],
        "words": {"source": [[0], [1], [2], [3]], "target": [[0], [1], [2]], "output": [[0], [1], [2]]},
    }
    assert {name: got[name] for name in expected} == expected
    assert np.array(got["logProbs"], np.float32).tolist() == trace.log_probs.tolist()
    assert [[token for token, _ in step] for step in got["topK"]] == [["▁Yes", "▁No"], [".", "!"], ["</s>", "."]]
    assert got["topK"][1][1] == ["!", -4]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_arrive_within_a_step_of_16_bits(trace: Trace, kind: Any) -> None:
    got = json.loads(board_payload(trace, PROOF))["maps"][kind]
    weights = trace.weights(kind)
    assert tuple(got["shape"]) == weights.shape
    decoded = unpacked(got["weights"], "<u2").reshape(weights.shape) / 65535
    np.testing.assert_allclose(decoded, weights, atol=1 / 65535)
    assert len(base64.b64decode(got["weights"])) == 2 * weights.size
    assert np.all(decoded[..., ~trace.mask(kind)] == 0)


def test_the_four_decimals_that_the_page_shows_are_the_weight_s_own() -> None:
    borders = (np.arange(10_000) + 0.5) / 10_000  # where the last decimal changes
    near = np.concatenate([borders - 1e-6, borders + 1e-6, np.random.default_rng(0).random(100_000)])
    weights = np.concatenate([near, [0, 1]]).astype(np.float32)
    steps = in_steps(weights)
    assert [f"{step / 65535:.4f}" for step in steps] == [f"{weight:.4f}" for weight in weights]
    assert np.abs(steps / 65535 - weights).max() < 1 / 65535


def test_only_a_mask_that_forbids_something_is_sent(trace: Trace) -> None:
    maps = json.loads(board_payload(trace, PROOF))["maps"]
    assert maps["encoder_self"]["mask"] is None
    assert maps["cross"]["mask"] is None
    assert unpacked(maps["decoder_self"]["mask"], "u1").reshape(3, 3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_a_whole_weight_is_the_largest_number(trace: Trace) -> None:
    cross = np.zeros_like(trace.cross)
    cross[..., 2] = 1
    got = unpacked(json.loads(board_payload(replace(trace, cross=cross), PROOF))["maps"]["cross"]["weights"], "<u2")
    assert got.reshape(cross.shape)[..., 2].tolist() == np.full(cross.shape[:3], 65535).tolist()
    assert got.sum() == 65535 * got.size // 4


def test_typed_markup_is_no_markup_in_the_payload(trace: Trace) -> None:
    hostile = "</script><img src=x onerror=alert(1)> ${1+1} {{x}} \x00 \ud800"
    pair = ForcedPair(hostile, hostile, -1.0, True)
    payload = board_payload(replace(trace, source_text=hostile), PROOF, forced=pair)
    assert "<" not in payload
    assert payload.isascii()
    got = json.loads(payload)
    assert got["sourceText"] == got["forcedText"] == got["ownChoice"]["text"] == hostile


def test_the_proof_arrives_to_the_last_digit(trace: Trace) -> None:
    assert json.loads(board_payload(trace, PROOF))["proof"] == {"rowSum": 1.5e-7, "replay": 2.5e-6}


def test_the_diagnostics_of_every_head_arrive(trace: Trace) -> None:
    got = json.loads(board_payload(trace, PROOF, ALIGNMENT))
    assert got["alignmentHead"] == {"layer": 1, "head": 0, "accuracy": 0.75, "trained": True}
    for kind, found in diagnose(trace, ALIGNMENT.accuracy).items():
        assert got["diagnostics"][kind].keys() == vars(found).keys()
        for name, numbers in vars(found).items():
            if numbers is None:
                assert got["diagnostics"][kind][name] is None
            else:
                np.testing.assert_allclose(got["diagnostics"][kind][name], numbers, atol=0.5e-6)
    assert got["diagnostics"]["decoder_self"]["next"] is None
    assert got["diagnostics"]["encoder_self"]["alignment"] is None
    assert got["diagnostics"]["cross"]["alignment"] == [[0.25, 0.5], [0.75, 0.125]]


def test_a_model_that_was_not_evaluated_has_no_alignment(trace: Trace) -> None:
    got = json.loads(board_payload(trace, PROOF))
    assert got["alignmentHead"] is None
    assert got["diagnostics"]["cross"]["alignment"] is None


def test_a_typed_pair_arrives_with_the_model_s_own_choice(trace: Trace) -> None:
    got = json.loads(board_payload(trace, PROOF, forced=ForcedPair("Yeah.", "Yes.", -1.25, False)))
    assert got["forcedText"] == "Yeah."
    assert got["ownChoice"] == {"text": "Yes.", "logProb": -1.25, "finished": False}
    plain = json.loads(board_payload(trace, PROOF))
    assert plain["forcedText"] is plain["ownChoice"] is None


def test_a_number_that_json_has_not_is_refused(trace: Trace) -> None:
    with pytest.raises(ValueError, match="JSON"):
        board_payload(replace(trace, log_probs=np.array([-np.inf, 0, 0], np.float32)), PROOF)


def test_mask_panels_keep_order_tokens_and_cells() -> None:
    allowed = np.array([[True, False, True], [False, True, True]])
    panels = [
        MaskPanel("mask.first", ("a", "b"), ("x", "y", "<pad>"), allowed),
        MaskPanel("mask.second", (), (), allowed[:0, :0]),
    ]
    got = json.loads(masks_payload(panels, ("<pad>",)))
    assert got["specialTokens"] == ["<pad>"]
    assert [panel["id"] for panel in got["panels"]] == ["mask.first", "mask.second"]
    first = got["panels"][0]
    assert (first["reading"], first["rows"], first["columns"]) == (
        "mask.first.reading",
        ["a", "b"],
        ["x", "y", "<pad>"],
    )
    assert unpacked(first["allowed"], "u1").tolist() == [1, 0, 1, 0, 1, 1]


def test_a_mask_that_does_not_fit_its_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mask.turned is \(2, 3\), but its tokens are \(3, 2\)"):
        MaskPanel("mask.turned", ("a", "b", "c"), ("x", "y"), np.ones((2, 3), dtype=bool))
