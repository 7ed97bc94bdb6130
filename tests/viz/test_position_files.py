"""Positions as CSV and JSON, read back as others read them."""

import io
import json
import math

import numpy as np
import pandas
import pytest

from viz.data_files import READ_MATRIX
from viz.position_files import positions_csv, positions_json
from viz.stamp import APP_VERSION

TABLE = np.array([[0, 1, 0, 1], [1, 0, -0.6, 0.8], [-1, 0, 0.1, 1e-6]], np.float32)


def test_csv_is_the_table_with_all_digits() -> None:
    content = positions_csv(TABLE, ["a title", "a stamp"])
    assert content.splitlines()[:3] == ["# a title", "# a stamp", f"# {READ_MATRIX}"]
    table = eval(READ_MATRIX, {"pandas": pandas, "file": io.BytesIO(content.encode("utf-8-sig"))})
    assert table.index.name == "position"
    assert list(table.index) == [0, 1, 2]
    assert list(table.columns) == ["0", "1", "2", "3"]
    np.testing.assert_array_equal(table.to_numpy(np.float32), TABLE)


def test_json_has_table_curves_and_similarity() -> None:
    found = json.loads(positions_json(TABLE, [3, 0], 10_000.0, "a title"))
    assert (found["format"], found["version"], found["title"]) == ("headlight-positions", 1, "a title")
    assert found["stamp"] == {"app_version": APP_VERSION}
    assert (found["d_model"], found["length"], found["base"], found["dimensions"]) == (4, 3, 10_000, [3, 0])
    np.testing.assert_array_equal(np.array(found["table"], np.float32), TABLE)
    assert [curve["dimension"] for curve in found["curves"]] == [3, 0]
    np.testing.assert_array_equal(np.array(found["curves"][0]["values"], np.float32), TABLE[:, 3])
    cosine = -0.06 / math.sqrt(2 * 1.01) - 1 / math.sqrt(2 * 1.01)  # of the last two rows
    assert found["similarity"][1][2] == found["similarity"][2][1] == pytest.approx(cosine, abs=1e-5)
    assert np.diag(found["similarity"]) == pytest.approx(1)


def test_numbers_are_written_with_the_fewest_digits() -> None:
    assert positions_csv(TABLE, []).splitlines()[-1] == "2,-1.0,0.0,0.1,1e-06"
