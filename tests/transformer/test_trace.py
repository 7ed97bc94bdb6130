"""Trace and AttentionMap: lengths that must agree, files that give back every field, and the documented JSON."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transformer.trace import FORMAT, KINDS, VERSION, AttentionMap, Kind, Trace
from transformer.translator import Translator

DOCUMENT = Path(__file__).parents[2] / "docs" / "trace-format.md"


@pytest.fixture(scope="module")
def trace(translator: Translator) -> Trace:
    return translator.trace("El gato 猫 lee “libros” \u0000 \ud800 en casa.", "en", forced="The cat reads.")


def same(found: Trace, expected: Trace) -> None:
    for field in dataclasses.fields(Trace):
        ours, theirs = getattr(found, field.name), getattr(expected, field.name)
        assert type(ours) is type(theirs), field.name
        if isinstance(ours, np.ndarray):
            assert ours.dtype == theirs.dtype, field.name
            np.testing.assert_array_equal(ours, theirs, field.name)
        else:
            assert ours == theirs, field.name


def test_a_map_belongs_to_its_tokens(trace: Trace) -> None:
    source, target = trace.source_tokens, trace.target_tokens
    for kind, queries, keys, outputs in (
        ("encoder_self", source, source, None),
        ("decoder_self", target, target, trace.output_tokens),
        ("cross", target, source, trace.output_tokens),
    ):
        found = trace.attention(kind, layer=1, head=3)  # type: ignore[arg-type]
        assert (found.kind, found.layer, found.head) == (kind, 1, 3)
        assert (found.query_tokens, found.key_tokens, found.output_tokens) == (queries, keys, outputs)
        np.testing.assert_array_equal(found.weights, getattr(trace, kind)[1, 3])
        np.testing.assert_array_equal(found.mask, getattr(trace, f"{kind}_mask"))
        assert trace.scores(found.kind) is getattr(trace, f"{kind}_scores")


@pytest.mark.parametrize(
    ("kind", "layer", "head", "message"),
    [
        ("encoder_self", 3, 0, "layer must be 0 to 2, not 3"),
        ("cross", 2, 0, "layer must be 0 to 1, not 2"),
        ("cross", -1, 0, "layer must be 0 to 1, not -1"),
        ("cross", 0, 4, "head must be 0 to 3, not 4"),
        ("self", 0, 0, "the attention map must be one of encoder_self, decoder_self, cross, not 'self'"),
    ],
)
def test_a_map_that_is_not_there_is_refused(trace: Trace, kind: Kind, layer: int, head: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trace.attention(kind, layer, head)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query_tokens": ("a",)}, r"weights is \(2, 3\), but the tokens are \(1, 3\)"),
        ({"key_tokens": ("a", "b")}, r"weights is \(2, 3\), but the tokens are \(2, 2\)"),
        ({"weights": np.zeros((3, 2), np.float32)}, r"weights is \(3, 2\)"),
        ({"mask": np.ones((3, 2), bool)}, r"mask is \(3, 2\)"),
        ({"output_tokens": ("x",)}, "1 output tokens for 2 rows"),
    ],
)
def test_a_map_whose_lengths_disagree_cannot_be_made(change: dict[str, object], message: str) -> None:
    good = AttentionMap(
        "cross", 0, 0, np.zeros((2, 3), np.float32), np.ones((2, 3), bool), ("a", "b"), ("c", "d", "e"), ("x", "y")
    )
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(good, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "source_tokens",
        "source_surfaces",
        "target_tokens",
        "output_tokens",
        "encoder_self",
        "decoder_self",
        "cross",
        "encoder_self_scores",
        "decoder_self_scores",
        "cross_scores",
        "encoder_self_mask",
        "decoder_self_mask",
        "cross_mask",
        "log_probs",
        "top_k_tokens",
        "top_k_log_probs",
    ],
)
def test_a_trace_whose_lengths_disagree_cannot_be_made(trace: Trace, name: str) -> None:
    value = getattr(trace, name)
    shorter: Any = value[..., :-1] if isinstance(value, np.ndarray) else value[:-1]
    with pytest.raises(ValueError, match=r"but its tokens are|: scores"):
        dataclasses.replace(trace, **{name: shorter})


def test_a_row_of_candidates_that_is_too_short_is_refused(trace: Trace) -> None:
    ragged = (trace.top_k_tokens[0][:-1], *trace.top_k_tokens[1:])
    with pytest.raises(ValueError, match="top_k_log_probs"):
        dataclasses.replace(trace, top_k_tokens=ragged)


def test_top_k_pairs_tokens_with_their_log_probabilities(trace: Trace) -> None:
    assert [[candidate.token for candidate in row] for row in trace.top_k] == [list(row) for row in trace.top_k_tokens]
    values = [[candidate.log_prob for candidate in row] for row in trace.top_k]
    np.testing.assert_array_equal(np.array(values, np.float32), trace.top_k_log_probs)
    assert all(row == sorted(row, reverse=True) for row in values)


def test_saving_and_loading_gives_back_every_field(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    trace.save(path)
    same(Trace.load(path), trace)
    assert sorted(tmp_path.iterdir()) == [path]


def test_what_is_no_trace_is_refused(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    trace.save(path)
    whole = path.read_bytes()
    np.savez(tmp_path / "other.npz", numbers=np.arange(3))
    np.save(tmp_path / "array.npy", np.arange(3))
    np.savez(tmp_path / "list.npz", header=np.array("[1, 2]"))
    pickled = np.array([{"header": 1}], dtype=object)
    np.savez(tmp_path / "pickled.npz", header=pickled)
    for name, content in {
        "empty": b"",
        "text": b"no archive",
        "short": whole[:100],
        "cut": whole[:-30],
        "flipped": whole[:400] + bytes(200) + whole[600:],
    }.items():
        (tmp_path / f"{name}.npz").write_bytes(content)
    for name in (
        "other.npz",
        "array.npy",
        "list.npz",
        "pickled.npz",
        "empty.npz",
        "text.npz",
        "short.npz",
        "cut.npz",
        "flipped.npz",
    ):
        with pytest.raises(ValueError, match=rf"{name} is no Headlight trace"):
            Trace.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        Trace.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": VERSION + 1}, f"is no {FORMAT} of version {VERSION}"),
        ({"format": "other"}, f"is no {FORMAT} of version {VERSION}"),
        ({"colour": "blue"}, "has not the fields"),
    ],
)
def test_another_version_or_format_is_refused(
    trace: Trace, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    arrays, header = opened(trace, tmp_path)
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header | change)), **arrays)
    with pytest.raises(ValueError, match=message):
        Trace.load(tmp_path / "changed.npz")


HEADER_WRONG: list[tuple[str, Any]] = [
    ("model", None),
    ("text", 7),
    ("target", None),
    ("beam_size", True),
    ("beam_size", 4.0),
    ("beam_size", "4"),
    ("forced", 0),
    ("dropped", [0]),
    ("source_tokens", 5),
    ("source_tokens", "abc"),
    ("source_tokens", {"a": 1}),
    ("special_tokens", [["<s>"]]),
    ("output_tokens", [None, "a"]),
    ("top_k_tokens", [1, 2]),
    ("top_k_tokens", ["a", "b"]),
    ("top_k_tokens", [["a", 1]]),
    ("cross", [[[[1.0]]]]),
]


@pytest.mark.parametrize(("name", "value"), HEADER_WRONG)
def test_a_header_with_a_value_of_another_type_is_refused(trace: Trace, tmp_path: Path, name: str, value: Any) -> None:
    arrays, header = opened(trace, tmp_path)
    arrays.pop(name, None)
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header | {name: value})), **arrays)
    with pytest.raises(ValueError, match=rf"changed\.npz is no sound {FORMAT}: {name} must be "):
        Trace.load(tmp_path / "changed.npz")


@pytest.mark.parametrize(
    ("name", "dtype", "wanted"),
    [
        ("cross", "U3", "float32"),
        ("cross", ">f4", "float32"),
        ("encoder_self", np.float64, "float32"),
        ("decoder_self_scores", np.float16, "float32"),
        ("log_probs", np.complex64, "float32"),
        ("top_k_log_probs", np.int32, "float32"),
        ("cross_mask", np.float32, "bool"),
        ("encoder_self_mask", np.uint8, "bool"),
    ],
)
def test_an_array_of_another_dtype_is_refused(trace: Trace, tmp_path: Path, name: str, dtype: Any, wanted: str) -> None:
    arrays, header = opened(trace, tmp_path)
    arrays[name] = arrays[name].astype(dtype)
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(ValueError, match=f"{name} must be an array of {wanted}$"):
        Trace.load(tmp_path / "changed.npz")


@pytest.mark.parametrize("name", ["text", "source_tokens"])
def test_an_array_in_place_of_text_is_refused(trace: Trace, tmp_path: Path, name: str) -> None:
    arrays, header = opened(trace, tmp_path)
    arrays[name] = np.array(header.pop(name))
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(ValueError, match=f"{name} must be (str|tuple)"):
        Trace.load(tmp_path / "changed.npz")


def test_a_field_that_stands_twice_is_refused(trace: Trace, tmp_path: Path) -> None:
    arrays, header = opened(trace, tmp_path)
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header | {"cross": 1})), **arrays)
    with pytest.raises(ValueError, match="has not the fields"):
        Trace.load(tmp_path / "changed.npz")


def opened(trace: Trace, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays and the header of a saved trace, to be changed and written anew."""
    trace.save(folder / "trace.npz")
    with np.load(folder / "trace.npz") as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(str(arrays.pop("header")))


def test_a_trace_without_one_of_its_arrays_is_refused(trace: Trace, tmp_path: Path) -> None:
    arrays, header = opened(trace, tmp_path)
    del arrays["cross"]
    np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(ValueError, match="has not the fields"):
        Trace.load(tmp_path / "changed.npz")


def test_json_holds_every_field_exactly(trace: Trace) -> None:
    text = trace.to_json()
    values = json.loads(text.encode())
    assert (values.pop("format"), values.pop("version")) == (FORMAT, VERSION)
    assert values.keys() == {field.name for field in dataclasses.fields(Trace)}
    for name, value in values.items():
        ours = getattr(trace, name)
        if isinstance(ours, np.ndarray):
            assert np.array(value).shape == ours.shape, name
            np.testing.assert_array_equal(np.array(value, dtype=ours.dtype), ours, name)
        else:
            assert json.loads(json.dumps(ours)) == value, name


@pytest.mark.parametrize("number", [1 / 3, 1e-45, 3.4e38, 0.1, 1 - 2**-24, -1.1754944e-38, 16777217.0])
def test_json_numbers_give_back_the_same_float32(trace: Trace, number: float) -> None:
    scores = trace.cross_scores.copy()
    scores[0, 0, 0, 0] = number
    values = json.loads(dataclasses.replace(trace, cross_scores=scores).to_json())
    assert np.float32(values["cross_scores"][0][0][0][0]) == np.float32(number)


def test_the_document_lists_the_fields_that_there_are(trace: Trace) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    values = json.loads(trace.to_json())
    assert [name for name, _ in rows] == ["format", "version", *(field.name for field in dataclasses.fields(trace))]
    assert {name for name, _ in rows} == values.keys()
    assert f"version {VERSION}" in DOCUMENT.read_text(encoding="utf-8").splitlines()[0]


def test_the_documented_shapes_are_the_real_ones(trace: Trace) -> None:
    sizes = {"S": len(trace.source_tokens), "T": len(trace.target_tokens), "H": 4, "k": 5}
    kinds: dict[str, Any] = {"number": (int, float), "boolean": bool, "string": str, "integer": int}
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    values = json.loads(trace.to_json())
    for name, described in rows:
        kind, _, shape = described.partition(" (")
        layers = 3 if name.startswith("encoder") else 2
        wanted = [layers if letter == "L" else sizes[letter] for letter in shape.rstrip(")").split(", ") if letter]
        array = np.array(values[name])
        if kind.endswith("s"):
            assert list(array.shape) == (wanted or [len(trace.special_tokens)]), name
        else:
            assert array.shape == (), name
        assert isinstance(array.ravel().tolist()[0], kinds[kind.rstrip("s")]), name


def test_there_are_three_maps() -> None:
    assert KINDS == ("encoder_self", "decoder_self", "cross")
