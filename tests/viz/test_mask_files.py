"""Masks as CSV and JSON, read back as others read them."""

import io
import json
from typing import Any

import numpy as np
import pandas

from tests.viz.small import SOURCE, WENT_IN, small_trace
from viz.board.payload import MaskPanel
from viz.data_files import READ_TABLE
from viz.mask_files import masks_csv, masks_json
from viz.stamp import Stamp

PANELS = [
    MaskPanel("mask.decoder_causal", WENT_IN, WENT_IN, np.tri(3) > 0),
    MaskPanel("mask.cross", WENT_IN, SOURCE, np.arange(15).reshape(3, 5) % 5 < 4),
]


def read(content: str) -> Any:
    """As the file itself says that pandas reads it."""
    assert f"# {READ_TABLE}\n" in content
    return eval(READ_TABLE, {"pandas": pandas, "file": io.BytesIO(content.encode("utf-8-sig"))})


def test_csv_has_a_row_for_each_cell_of_each_mask() -> None:
    content = masks_csv(PANELS, ["a title", "a stamp"])
    assert content.splitlines()[:2] == ["# a title", "# a stamp"]
    table = read(content)
    assert ",".join(table.columns) == "mask,row,row_token,column,column_token,allowed"
    assert len(table) == 3 * 3 + 3 * 5
    for name, panel in zip(("decoder_causal", "cross"), PANELS, strict=True):
        cells = table[table["mask"] == name]
        allowed = cells.pivot(index="row", columns="column", values="allowed")
        np.testing.assert_array_equal(allowed.to_numpy(bool), panel.allowed)
        assert tuple(cells["column_token"][: len(panel.column_tokens)]) == panel.column_tokens
        assert tuple(cells["row_token"][:: len(panel.column_tokens)]) == panel.row_tokens


def test_json_has_the_masks_with_their_tokens_and_the_stamp() -> None:
    stamp = Stamp.of(small_trace())
    found = json.loads(masks_json(PANELS, "a title", stamp))
    assert (found["format"], found["version"], found["title"]) == ("headlight-masks", 1, "a title")
    assert found["stamp"] == stamp.values()
    assert [mask["mask"] for mask in found["masks"]] == ["decoder_causal", "cross"]
    assert found["masks"][1]["rows"] == list(WENT_IN)
    assert found["masks"][1]["columns"] == list(SOURCE)
    for mask, panel in zip(found["masks"], PANELS, strict=True):
        assert mask["allowed"] == panel.allowed.tolist()
