"""A view's numbers as CSV and JSON, read back as others read them."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import pytest

from tests.viz.small import small_trace, small_view
from viz.data_files import READ_MATRIX, READ_TABLE
from viz.stamp import APP_VERSION, Stamp
from viz.view import Piece, View
from viz.view_files import view_csv, view_json, views_csv, views_json

ODD = ("a,b", 'say "x" #1', "x\ny", "nan", "")


def read(content: str, how: str = READ_MATRIX) -> Any:
    """As the file itself says that pandas reads it."""
    assert f"# {how}\n" in content
    return eval(how, {"pandas": pandas, "file": io.BytesIO(content.encode("utf-8-sig"))})


def test_csv_has_all_digits_and_what_each_row_wrote() -> None:
    view = small_view(head=1, layer=1)
    table = read(view_csv(view, ["a title", "a stamp"]))
    assert list(table.index) == ["<s>", "▁biblio", "teca"]
    assert list(table.columns) == ["writes", "<2es>", "▁li", "brary", "!", "</s>"]
    assert list(table["writes"]) == ["▁biblio", "teca", "</s>"]
    np.testing.assert_array_equal(table.drop(columns="writes").to_numpy(np.float32), view.weights)


def test_csv_begins_with_title_and_stamp_on_lines_of_their_own() -> None:
    content = view_csv(small_view(), ["a\ntitle", "a stamp, # too"])
    assert content.splitlines()[:3] == ["# a title", "# a stamp, # too", f"# {READ_MATRIX}"]
    assert content.splitlines()[3].startswith('"row","writes","<2es>"')


def test_forbidden_cells_and_blank_rows_are_empty() -> None:
    decoder = read(view_csv(small_view(map="decoder_self"), [])).drop(columns="writes")
    np.testing.assert_array_equal(decoder.isna(), np.tri(3) == 0)
    cross = small_trace().cross.copy()
    cross[0, 0, 0] = [0.995, 0.005, 0, 0, 0]
    table = read(view_csv(small_view(small_trace(cross=cross), special="hidden"), []))
    assert list(table["hidden_share"]) == pytest.approx([0.995, 0.2])
    assert table.drop(columns=["writes", "hidden_share"]).isna().all(axis=1).tolist() == [True, False]


def odd_view() -> View:
    return replace(small_view(), columns=tuple(map(Piece, ODD)), rows=(Piece("#"), Piece("NA"), Piece("c\rd")))


def test_csv_keeps_labels_with_commas_quotes_newlines_and_number_signs() -> None:
    table = read(view_csv(odd_view(), []))
    assert list(table.columns[1:5]) == list(ODD[:4])
    assert list(table.index) == ["#", "NA", "c\rd"]
    np.testing.assert_array_equal(table.iloc[:, 1:].to_numpy(np.float32), odd_view().weights)


def test_the_encoder_s_csv_has_no_column_of_what_was_written() -> None:
    assert read(view_csv(small_view(map="encoder_self"), [])).columns[0] == "<2es>"


def test_json_has_the_view_and_the_stamp() -> None:
    view = small_view(map="decoder_self", special="hidden", units="words")
    found = json.loads(view_json(view, "a title", Stamp.of(small_trace())))
    assert (found["format"], found["version"], found["title"]) == ("headlight-view", 1, "a title")
    assert found["stamp"] == {
        "model": "small",
        "source_text": "library!",
        "target": "es",
        "text": "biblioteca",
        "beam_size": 1,
        "forced": False,
        "app_version": APP_VERSION,
    }
    assert found["selection"]["units"] == "words"
    assert [piece["token"] for piece in found["columns"]] == [piece.token for piece in view.columns]
    assert found["outputs"][0] == {"token": "biblio", "surface": "", "special": False}
    assert found["mask"] == view.mask.tolist()
    assert found["blank"] == view.blank.tolist()
    weights = np.array(found["weights"], np.float32)
    np.testing.assert_array_equal(np.isnan(weights), ~view.drawn)
    np.testing.assert_array_equal(weights[view.drawn], view.weights[view.drawn])
    np.testing.assert_array_equal(np.array(found["hidden_share"], np.float32), view.hidden_share)


def test_json_of_forbidden_cells_is_null() -> None:
    found = json.loads(view_json(small_view(map="decoder_self"), "", Stamp.of(small_trace())))
    assert [[cell is None for cell in row] for row in found["weights"]] == (np.tri(3) == 0).tolist()
    assert found["hidden_share"] is None


def heads(**selected: Any) -> list[View]:
    return [small_view(layer=layer, head=head, **selected) for layer in range(2) for head in range(2)]


def test_several_heads_are_one_table_with_a_row_for_each_cell() -> None:
    views = heads()
    content = views_csv(views, ["a title", "a stamp"])
    assert content.splitlines()[:3] == ["# a title", "# a stamp", f"# {READ_TABLE}"]
    table = read(content, READ_TABLE)
    assert ",".join(table.columns) == "layer,head,row,row_token,writes,column,column_token,allowed,weight"
    assert len(table) == 4 * 3 * 5
    for view in views:
        chosen = view.selection
        cells = table[(table["layer"] == chosen.layer) & (table["head"] == chosen.head)]
        weights = cells.pivot(index="row", columns="column", values="weight")
        np.testing.assert_array_equal(weights.to_numpy(np.float32), view.weights)
    last = table.iloc[-1]
    assert last.drop("weight").to_dict() == {
        "layer": 1,
        "head": 1,
        "row": 2,
        "row_token": "teca",
        "writes": "</s>",
        "column": 4,
        "column_token": "</s>",
        "allowed": True,
    }
    assert np.float32(last["weight"]) == views[-1].weights[2, 4]


def test_the_table_tells_forbidden_cells_from_blank_rows_and_both_from_0() -> None:
    decoder = read(views_csv(heads(map="decoder_self"), []), READ_TABLE)
    forbidden = decoder["column"] > decoder["row"]
    assert (decoder["allowed"] == ~forbidden).all()
    assert (decoder["weight"].isna() == forbidden).all()
    cross = small_trace().cross.copy()
    cross[0, 0, :2] = [[0.995, 0.005, 0, 0, 0], [0.2, 0.8, 0, 0, 0]]
    table = read(views_csv([small_view(small_trace(cross=cross), special="hidden")], []), READ_TABLE)
    assert table["allowed"].all()
    assert (table["weight"].isna() == (table["row"] == 0)).all()
    assert (table["weight"] == 0).any()
    assert table["hidden_share"].unique() == pytest.approx([0.995, 0.2])


def test_the_table_keeps_odd_labels_and_the_encoder_s_has_no_column_of_what_was_written() -> None:
    table = read(views_csv([odd_view()], []), READ_TABLE)
    assert list(table["column_token"][:4]) == list(ODD[:4])
    assert list(table["row_token"][::5]) == ["#", "NA", "c\rd"]
    assert "writes" not in read(views_csv(heads(map="encoder_self"), []), READ_TABLE).columns


def test_json_of_several_heads_has_each_as_that_of_one() -> None:
    views, stamp = heads(map="decoder_self", special="hidden"), Stamp.of(small_trace())
    found = json.loads(views_json(views, "a title", stamp))
    assert (found["format"], found["version"], found["title"]) == ("headlight-views", 1, "a title")
    assert found["stamp"] == stamp.values()
    heading = {"format", "version", "title", "stamp"}
    for view, content in zip(views, found["views"], strict=True):
        alone = json.loads(view_json(view, "", stamp))
        assert content == {name: value for name, value in alone.items() if name not in heading}
    assert [view["selection"]["head"] for view in found["views"]] == [0, 1, 0, 1]
