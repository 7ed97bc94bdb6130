"""A step's numbers as CSV and JSON, read back as others read them."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import pytest

from tests.viz.small import SOURCE, SURFACES, small_step, small_trace
from transformer.translator import Translator
from viz.data_files import READ_TABLE
from viz.stamp import Stamp
from viz.step import step_of
from viz.step_files import step_csv, step_json
from viz.view import Piece


def read(content: str) -> Any:
    """As the file itself says that pandas reads it."""
    assert f"# {READ_TABLE}\n" in content
    return eval(READ_TABLE, {"pandas": pandas, "file": io.BytesIO(content.encode("utf-8-sig"))})


def test_csv_has_a_row_for_each_head_and_a_column_for_each_source_token() -> None:
    step = small_step()
    content = step_csv(step, ["a title", "a\nstamp"])
    assert content.splitlines()[:3] == ["# a title", "# a stamp", f"# {READ_TABLE}"]
    table = read(content)
    assert list(table.columns) == ["layer", "head", *SOURCE]
    assert table[["layer", "head"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    np.testing.assert_array_equal(table[list(SOURCE)].to_numpy(np.float32), step.weights.reshape(4, 5))


def test_csv_keeps_odd_labels_and_says_what_was_typed_for_unknown_ones() -> None:
    odd = ("a,b", 'say "x" #1', "x\ny", "nan")
    step = replace(small_step(), columns=(*map(Piece, odd), Piece("<unk>", "漢")))
    assert list(read(step_csv(step, [])).columns[2:]) == [*odd, "<unk> 漢"]


def test_csv_and_json_of_the_model_are_the_trace_s_own_float32(translator: Translator) -> None:
    trace = translator.trace("¿Dónde está la biblioteca?", "en")
    place = len(trace.output_tokens) - 1
    step = step_of(trace, place)
    table = read(step_csv(step, []))
    weights = table.iloc[:, 2:].to_numpy(np.float32).reshape(step.weights.shape)
    np.testing.assert_array_equal(weights, trace.cross[:, :, place])
    found = json.loads(step_json(step, "", Stamp.of(trace)))
    np.testing.assert_array_equal(np.array(found["weights"], np.float32), trace.cross[:, :, place])
    assert np.float32(found["log_prob"]) == trace.log_probs[place]
    log_probs = [candidate["log_prob"] for candidate in found["candidates"]]
    np.testing.assert_array_equal(np.array(log_probs, np.float32), trace.top_k_log_probs[place])
    assert tuple(candidate["token"] for candidate in found["candidates"]) == trace.top_k_tokens[place]


def test_json_has_the_step_and_the_stamp() -> None:
    stamp = Stamp.of(small_trace())
    found = json.loads(step_json(small_step(), "a title", stamp))
    assert (found["format"], found["version"], found["title"]) == ("headlight-step", 1, "a title")
    assert found["stamp"] == stamp.values()
    assert (found["step"], found["count"]) == (1, 3)
    assert found["seen"] == [
        {"token": "<s>", "surface": "", "special": True},
        {"token": "▁biblio", "surface": "", "special": False},
    ]
    assert found["taken"] == {"token": "teca", "surface": "", "special": False}
    assert found["candidates"] == [
        {"token": "s", "surface": "", "special": False, "log_prob": pytest.approx(np.log(0.5))},
        {"token": "teca", "surface": "", "special": False, "log_prob": pytest.approx(np.log(0.4))},
    ]
    assert [(piece["token"], piece["surface"]) for piece in found["columns"]] == list(
        zip(SOURCE, SURFACES, strict=True)
    )
    assert found["log_prob"] == found["candidates"][1]["log_prob"]
