"""Files saved from the page, read back: they hold what the page shows, which is what the model computed."""

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from tests.browser.acts import open_pair, open_tab, saved, type_sentence, wait_for_text
from tests.browser.conftest import Visitor
from transformer.translator import Translator
from viz.data_files import READ_TABLE
from viz.tabs.masks import LONGER
from viz.view import Selection, View, view_of

Open = Callable[..., Visitor]
SENTENCE = "Mañana comeré más jamón."
#: Of each mask its rows, its columns, whether it hides padding and whether it hides what is still to come.
MASKS = {
    "encoder_padding": ("source", "source", True, False),
    "decoder_padding": ("target", "target", True, False),
    "decoder_causal": ("target", "target", False, True),
    "decoder_combined": ("target", "target", True, True),
    "cross": ("target", "source", True, False),
}


def read_table(csv: bytes) -> Any:
    return eval(READ_TABLE, {"pandas": pandas, "file": io.BytesIO(csv)})


@pytest.fixture
def on_decoder(open_visitor: Open, translator: Translator) -> Page:
    """A sentence with accents, and a head of the decoder."""
    page = open_visitor().page
    type_sentence(page, SENTENCE)
    wait_for_text(page, translator.trace(SENTENCE, "en").text)
    page.evaluate("headlight.select({ map: 'encoder_self', layer: 2, head: 4 })")
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-map", "encoder_self")
    return page


def test_svg_and_pdf_hold_the_tokens_with_their_accents(on_decoder: Page, translator: Translator) -> None:
    trace = translator.trace(SENTENCE, "en")
    name, svg = saved(on_decoder, "picture", "svg")
    assert name == "headlight-encoder-self-layer3-head5.svg"
    texts = ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert set(trace.source_tokens) <= set(texts)
    assert any(SENTENCE in text and trace.text in text and "es-en" in text for text in texts)
    name, pdf = saved(on_decoder, "picture", "pdf")
    assert name == "headlight-encoder-self-layer3-head5.pdf"
    lines = PdfReader(io.BytesIO(pdf)).pages[0].extract_text().splitlines()
    assert set(trace.source_tokens) <= set(lines)


def test_png_has_its_size_and_says_what_it_is(on_decoder: Page) -> None:
    _, png = saved(on_decoder, "picture", "png")
    picture = Image.open(io.BytesIO(png))
    assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    assert min(picture.size) > 600
    assert picture.info["Title"] == "Encoder self-attention, layer 3, head 5"
    assert SENTENCE in picture.info["Description"]


def test_csv_and_json_equal_the_trace_s_weights(on_decoder: Page, translator: Translator) -> None:
    trace = translator.trace(SENTENCE, "en")
    _, csv = saved(on_decoder, "picture", "csv")
    table = pandas.read_csv(io.BytesIO(csv), comment="#", index_col=0, keep_default_na=False, na_values=[""])
    np.testing.assert_array_equal(table.to_numpy(np.float32), trace.encoder_self[2, 4])
    assert list(table.index) == list(table.columns) == list(trace.source_tokens)
    _, content = saved(on_decoder, "picture", "json")
    found = json.loads(content)
    np.testing.assert_array_equal(np.array(found["weights"], np.float32), trace.encoder_self[2, 4])
    assert found["stamp"]["source_text"] == SENTENCE
    name, whole = saved(on_decoder, "trace", "json")
    assert name == "headlight-trace-manana-comere-mas-jamon.json"
    assert whole.decode() == trace.to_json()


def test_all_heads_are_saved_as_the_trace_s_weights(on_decoder: Page, translator: Translator) -> None:
    trace = translator.trace(SENTENCE, "en")
    on_decoder.evaluate("headlight.select({ map: 'decoder_self' })")
    expected = np.where(trace.decoder_self_mask, trace.decoder_self, np.nan)  # (L, H, T, T)
    name, csv = saved(on_decoder, "heads", "csv")
    assert name == "headlight-decoder-self-all-heads.csv"
    assert SENTENCE in csv.decode("utf-8-sig").splitlines()[1]
    table = read_table(csv)
    np.testing.assert_array_equal(table["weight"].to_numpy(np.float32), expected.ravel())
    counted = table[["layer", "head", "row", "column"]].to_numpy()
    np.testing.assert_array_equal(counted, np.argwhere(np.ones(expected.shape)))
    tokens, came_out = np.array(trace.target_tokens), np.array(trace.output_tokens)
    assert (table["row_token"] == tokens[table["row"]]).all()
    assert (table["column_token"] == tokens[table["column"]]).all()
    assert (table["writes"] == came_out[table["row"]]).all()
    _, content = saved(on_decoder, "heads", "json")
    weights = np.array([view["weights"] for view in json.loads(content)["views"]], np.float32)
    np.testing.assert_array_equal(weights, expected.reshape(-1, *expected.shape[2:]))


def test_lines_are_saved_with_every_head_that_is_drawn(on_decoder: Page, translator: Translator) -> None:
    trace = translator.trace(SENTENCE, "en")
    on_decoder.evaluate("headlight.select({ map: 'cross', layer: 1, head: 4, view: 'lines', lines: [0, 2] })")
    name, csv = saved(on_decoder, "picture", "csv")
    assert name == "headlight-cross-layer2-heads5-1-3-lines.csv"
    table = read_table(csv)
    assert list(table["head"].unique()) == [4, 0, 2]
    np.testing.assert_array_equal(table["weight"].to_numpy(np.float32), trace.cross[1, [4, 0, 2]].ravel())
    _, content = saved(on_decoder, "picture", "json")
    weights = np.array([view["weights"] for view in json.loads(content)["views"]], np.float32)
    np.testing.assert_array_equal(weights, trace.cross[1, [4, 0, 2]])


def test_masks_are_saved_as_the_page_shows_them(on_decoder: Page, translator: Translator) -> None:
    trace = translator.trace(SENTENCE, "en")
    sides = {"source": trace.source_tokens, "target": trace.target_tokens}
    padded = {side: [*tokens, *["<pad>"] * LONGER] for side, tokens in sides.items()}
    name, csv = saved(on_decoder, "masks", "csv")
    assert name == "headlight-masks.csv"
    table = read_table(csv)
    _, content = saved(on_decoder, "masks", "json")
    masks = {mask["mask"]: mask for mask in json.loads(content)["masks"]}
    assert list(table["mask"].unique()) == list(masks) == list(MASKS)
    for mask, (rows, columns, is_padding, is_causal) in MASKS.items():
        row, column = np.indices((len(padded[rows]), len(padded[columns])))
        allowed = ((column < len(sides[columns])) | (not is_padding)) & ((column <= row) | (not is_causal))
        assert (masks[mask]["rows"], masks[mask]["columns"]) == (padded[rows], padded[columns])
        assert masks[mask]["allowed"] == allowed.tolist()
        cells = table[table["mask"] == mask]
        np.testing.assert_array_equal(cells["allowed"].to_numpy(bool), allowed.ravel())
        np.testing.assert_array_equal(cells[["row", "column"]].to_numpy(), np.argwhere(np.ones(allowed.shape)))
        assert list(cells["column_token"][: len(padded[columns])]) == padded[columns]
        assert list(cells["row_token"][:: len(padded[columns])]) == padded[rows]


def test_whatever_the_page_shows_is_what_is_saved(on_decoder: Page, translator: Translator) -> None:
    selection = Selection("cross", 1, merge="layer_mean", units="words", special="hidden")
    chosen = "{ map: 'cross', layer: 1, merge: 'layer_mean', units: 'words', special: 'hidden', view: 'table' }"
    on_decoder.evaluate(f"headlight.select({chosen})")
    name, csv = saved(on_decoder, "picture", "csv")
    assert name == "headlight-cross-layer2-mean-words-no-specials.csv"
    table = pandas.read_csv(io.BytesIO(csv), comment="#", index_col=0, keep_default_na=False, na_values=[""])
    view = view_of(translator.trace(SENTENCE, "en"), selection)
    numbers = table.drop(columns=["writes", "hidden_share"]).to_numpy(np.float32)
    np.testing.assert_array_equal(numbers, np.where(view.drawn, view.weights, np.nan))
    np.testing.assert_array_equal(table["hidden_share"].to_numpy(np.float32), view.hidden_share)


def test_a_given_translation_is_saved_as_it_is_shown(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    given = "I love learning."
    open_pair(page)
    page.locator("#forced textarea").fill(given)
    page.locator("#translate").click()
    wait_for_text(page, given)
    _, content = saved(page, "trace", "json")
    assert json.loads(content)["forced"] is True
    assert json.loads(content)["output_tokens"] == list(
        translator.trace("Me gusta estudiar.", "en", forced=given).output_tokens
    )


def test_positions_are_saved_as_the_sliders_stand(open_visitor: Open) -> None:
    page = open_visitor(locale="es-ES").page
    open_tab(page, "positions")
    page.locator("#length input[type=number]").fill("20")
    page.locator("#length input[type=number]").press("Enter")
    name, svg = saved(page, "positions", "svg")
    assert name == "headlight-positions.svg"
    assert "Posiciones sinusoidales: 20 vectores de ancho" in svg.decode()
    _, content = saved(page, "positions", "json")
    found = json.loads(content)
    assert (found["length"], found["base"]) == (20, 10_000)
    expected = sinusoids(20, found["d_model"])
    np.testing.assert_allclose(found["table"], expected, atol=2e-6)
    for curve in found["curves"]:
        np.testing.assert_allclose(curve["values"], expected[:, curve["dimension"]], atol=2e-6)
    assert [curve["dimension"] for curve in found["curves"]] == found["dimensions"] != []
    cosines = expected @ expected.T / (found["d_model"] / 2)
    np.testing.assert_allclose(found["similarity"], cosines, atol=1e-5)
    _, csv = saved(page, "positions", "csv")
    table = pandas.read_csv(io.BytesIO(csv), comment="#", index_col=0)
    np.testing.assert_array_equal(table.to_numpy(np.float32), np.array(found["table"], np.float32))
    assert list(table.columns) == [str(dimension) for dimension in range(found["d_model"])]


def sinusoids(length: int, d_model: int) -> np.ndarray:
    """(length, d_model): section 3.5 with base 10,000."""
    angles = np.arange(length)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d_model)


@pytest.fixture
def open_file(browser: Browser) -> Iterator[Callable[..., tuple[Page, list[str]]]]:
    """Open a file with the network off; gives the page and what went wrong or was asked for."""
    contexts = []

    def open_one(path: Path, **options: Any) -> tuple[Page, list[str]]:
        context = browser.new_context(offline=True, **options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        noted: list[str] = []
        page.on("pageerror", lambda error: noted.append(str(error)))
        page.on("console", lambda message: noted.append(message.text))
        page.on("request", lambda request: noted.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        page.wait_for_selector("#attention [data-drawn]:not([data-drawn='0'])")
        return page, noted

    yield open_one
    for context in contexts:
        context.close()


def test_the_saved_board_works_from_a_file_with_the_network_off(
    on_decoder: Page, open_file: Callable[..., tuple[Page, list[str]]], translator: Translator, tmp_path: Path
) -> None:
    on_decoder.evaluate("headlight.select({ step: 0 })")
    name, content = saved(on_decoder, "board", "html")
    assert name == "headlight-board-manana-comere-mas-jamon.html"
    path = tmp_path / name
    path.write_bytes(content)
    trace = translator.trace(SENTENCE, "en")
    page, noted = open_file(path, viewport={"width": 1280, "height": 900})
    assert page.title() == f"{SENTENCE} → {trace.text} · Headlight"
    expect(page.locator("#result [data-result='text']")).to_have_text(trace.text)
    board = page.locator("#attention [data-drawn]")
    for key, value in (
        ("map", "encoder_self"),
        ("layer", "2"),
        ("head", "4"),
        ("step", "0"),
    ):  # as it was when it was saved
        expect(board).to_have_attribute(f"data-{key}", value)
    page.locator("[data-map-button='cross']").click()
    page.locator(".hl-thumb[data-layer='0'][data-head='1']").click()
    expect(board).to_have_attribute("data-head", "1")
    assert_cells(page, view_of(trace, Selection("cross", 0, 1)))
    for chosen in ({"units": "words"}, {"special": "hidden"}):
        key, value = next(iter(chosen.items()))
        page.locator(f"[data-{key}-button='{value}']").click()
        expect(board).to_have_attribute(f"data-{key}", value)
    assert_cells(page, view_of(trace, Selection("cross", 0, 1, units="words", special="hidden")))
    page.locator("[data-player='next']").click()
    expect(page.locator("#steps [data-step]")).to_have_attribute("data-step", "1")
    likeliest = np.exp(trace.top_k[1][0][1])
    expect(page.locator("#steps .hl-candidate .hl-number").first).to_have_text(f"{likeliest:.4f}")
    expect(page.locator("#masks canvas")).to_have_count(5)
    expect(page.locator("footer")).to_contain_text("es-en")
    assert noted == []


def assert_cells(page: Page, view: View) -> None:
    """All cells of the large picture, walked with the arrow keys."""
    rows, columns = view.weights.shape
    page.locator(".hl-head canvas").first.focus()
    readout = page.locator(".hl-head [data-weight]")
    for _ in range(max(rows, columns)):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    for row in range(rows):
        for column in range(columns):
            expect(readout).to_have_attribute("data-row", str(row))
            expect(readout).to_have_attribute("data-column", str(column))
            shown = readout.get_attribute("data-weight")
            expected = "" if view.blank[row] else pytest.approx(float(view.weights[row, column]), abs=0.0005)
            assert (float(shown) if shown else "") == expected
            page.keyboard.press("ArrowRight")
        for _ in range(columns):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_saved_board_follows_the_reader_s_colours_and_keeps_its_language(
    open_visitor: Open, open_file: Callable[..., tuple[Page, list[str]]], tmp_path: Path, color_scheme: str
) -> None:
    path = tmp_path / "board.html"
    path.write_bytes(saved(open_visitor(locale="es-MX").page, "board", "html")[1])
    page, noted = open_file(path, color_scheme=color_scheme, locale="en-GB", viewport={"width": 390, "height": 800})
    expect(page.locator("#attention [data-map-button='cross']")).to_have_text("Atención cruzada")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert brightness > 240 if color_scheme == "light" else brightness < 40
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert noted == []


def test_an_order_that_cannot_be_filled_is_said_so(open_visitor: Open) -> None:
    page = open_visitor().page
    page.evaluate("() => { const own = headlight.selection; headlight.selection = () => ({ ...own(), layer: 99 }); }")
    page.locator("#download").click()
    expect(page.get_by_text("This view cannot be downloaded: layer must be 0 to 2, not 99.")).to_be_visible()
