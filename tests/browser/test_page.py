"""The page as a visitor meets it: what it opens with, what it does with a typed sentence, what it never does."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.acts import open_tab, type_sentence, wait_for_text
from tests.browser.conftest import Visitor
from tests.browser.launch import running_app
from transformer.trace import KINDS
from transformer.translator import Translator

Open = Callable[..., Visitor]


def drawn(page: Page) -> int:
    return int(page.locator("#attention [data-drawn]").get_attribute("data-drawn") or 0)


def test_opens_with_the_first_example_translated_and_drawn(open_visitor: Open, translator: Translator) -> None:
    visitor = open_visitor()
    trace = translator.trace("Me gusta estudiar.", "en")
    wait_for_text(visitor.page, trace.text)
    layers, heads = trace.cross.shape[:2]
    assert visitor.page.locator(".hl-thumb").count() == layers * heads
    assert drawn(visitor.page) > 0
    assert visitor.errors == []


def test_opens_on_the_head_that_points_at_copied_words(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    best = translator.alignment_head
    assert best is not None
    board = page.locator("#attention [data-drawn]")
    for name, value in (("map", "cross"), ("layer", best.layer), ("head", best.head)):
        expect(board).to_have_attribute(f"data-{name}", str(value))
    expect(page.locator(".hl-head-note")).to_contain_text(f"{100 * best.accuracy:.1f}%")
    other = (best.head + 1) % translator.model.config.num_heads
    page.locator(f".hl-thumb[data-layer='{best.layer}'][data-head='{other}']").click()
    expect(page.locator(".hl-head-note")).to_be_empty()


def test_no_request_leaves_the_machine(open_visitor: Open) -> None:
    visitor = open_visitor()
    type_sentence(visitor.page, "Tengo un perro.")
    for tab in ("Positions", "Masks", "Attention"):
        visitor.page.get_by_role("tab", name=tab).click()
        visitor.page.wait_for_timeout(500)
    assert visitor.foreign == []


def test_a_typed_sentence_is_translated_and_drawn(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    type_sentence(page, "Tengo un perro negro.")
    trace = translator.trace("Tengo un perro negro.", "en")
    wait_for_text(page, trace.text)
    type_sentence(page, "My brother lives in Boston.", "es")
    wait_for_text(page, translator.trace("My brother lives in Boston.", "es").text)


def test_an_example_is_translated_by_one_click(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    page.locator("#examples").get_by_text("I have never been to Boston.").click()
    wait_for_text(page, translator.trace("I have never been to Boston.", "es").text)
    expect(page.locator("#sentence textarea, #sentence input")).to_have_value("I have never been to Boston.")


def test_map_layer_and_head_change_by_click_and_by_keys_without_the_server(open_visitor: Open) -> None:
    page = open_visitor().page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    board = page.locator("#attention [data-drawn]")
    page.locator("[data-map-button='encoder_self']").click()
    expect(board).to_have_attribute("data-map", "encoder_self")
    page.locator(".hl-thumb[data-layer='1'][data-head='2']").click()
    expect(board).to_have_attribute("data-layer", "1")
    expect(board).to_have_attribute("data-head", "2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(board).to_have_attribute("data-head", "3")
    page.locator(".hl-thumb[data-layer='1'][data-head='3']").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(board).to_have_attribute("data-layer", "0")
    page.locator("[data-map-button='cross']").click()
    expect(board).to_have_attribute("data-map", "cross")
    assert asked == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_under_the_cursor_is_the_trace_s(open_visitor: Open, translator: Translator, kind: str) -> None:
    """All cells of one head, walked with the arrow keys: the readout agrees with the model to its four decimals."""
    page = open_visitor().page
    trace = translator.trace("Me gusta estudiar.", "en")
    weights = trace.weights(kind)[1, 3]  # type: ignore[arg-type]
    mask = trace.mask(kind)  # type: ignore[arg-type]
    page.locator(f"[data-map-button='{kind}']").click()
    page.locator(".hl-thumb[data-layer='1'][data-head='3']").click()
    page.locator(".hl-head canvas").first.focus()
    readout = page.locator("[data-weight]")
    for _ in range(max(weights.shape)):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    seen = np.full(weights.shape, -1.0)
    for row in range(weights.shape[0]):
        for column in range(weights.shape[1]):
            expect(readout).to_have_attribute("data-row", str(row))
            expect(readout).to_have_attribute("data-column", str(column))
            seen[row, column] = float(readout.get_attribute("data-weight") or "nan")
            if not mask[row, column]:
                assert "forbidden" in (readout.text_content() or "")
            page.keyboard.press("ArrowRight")
        for _ in range(weights.shape[1]):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    np.testing.assert_allclose(seen, weights, atol=0.00006)


def test_hovering_shows_the_number_of_the_cell_under_the_mouse(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    trace = translator.trace("Me gusta estudiar.", "en")
    page.locator(".hl-thumb[data-layer='2'][data-head='0']").click()
    box = page.locator(".hl-head canvas").first.bounding_box()
    assert box is not None
    readout = page.locator("[data-weight]")
    cells = set()
    for across in (0.4, 0.5, 0.6, 0.7):
        for down in (0.4, 0.55, 0.7):
            page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
            row, column = (int(readout.get_attribute(f"data-{name}") or -1) for name in ("row", "column"))
            if row >= 0 and column >= 0:
                cells.add((row, column))
                shown = float(readout.get_attribute("data-weight") or "nan")
                assert shown == pytest.approx(float(trace.cross[2, 0, row, column]), abs=0.00006)
    assert len(cells) > 3


HOSTILE = [
    "<img src=x onerror=\"document.title='run'\">",
    "${document.title='run'}",
    "{{document.title='run'}} \"quotes\" 'and' `ticks`",
    "</script><script>document.title='run'</script>",
    "a\u200bb \u202eabc\u202c \U0001f600 日本語",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_typed_stays_text(open_visitor: Open, text: str) -> None:
    visitor = open_visitor()
    type_sentence(visitor.page, text)
    expect(visitor.page.locator("#result .hl-chip", has_text="<unk>").first).to_be_visible()
    assert visitor.page.title() == "Headlight"
    assert visitor.page.locator("#result img, #attention img, #result script").count() == 0
    assert visitor.errors == []
    assert visitor.foreign == []


def test_nothing_typed_gets_a_sentence_and_loses_nothing(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    for text in ("", "   \t  "):
        type_sentence(page, text)
        expect(page.locator("#notice")).to_contain_text("Type a sentence")
        wait_for_text(page, translator.trace("Me gusta estudiar.", "en").text)


def test_too_long_a_sentence_is_cut_and_said_to_be(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    text = "Me gusta estudiar por la noche. " * 40
    type_sentence(page, text)
    dropped = translator.translate(text, "en").dropped
    assert dropped > 0
    expect(page.locator("#result")).to_contain_text(f"its last {dropped} tokens were left out")
    type_sentence(page, "Tengo un perro.")
    expect(page.locator("#result")).not_to_contain_text("left out")


def test_a_pasted_megabyte_neither_hangs_nor_crashes(open_visitor: Open) -> None:
    page = open_visitor().page
    type_sentence(page, "palabra " * 130_000)
    expect(page.locator("#result")).to_contain_text("left out")
    type_sentence(page, "Tengo un perro.")
    expect(page.locator("#result")).to_contain_text("dog")


@pytest.mark.parametrize(
    ("locale", "word"), [("es-ES", "Traducir"), ("es-MX", "Traducir"), ("en-US", "Translate"), ("fr-FR", "Translate")]
)
def test_the_page_speaks_the_browser_s_language(open_visitor: Open, locale: str, word: str) -> None:
    page = open_visitor(locale=locale).page
    expect(page.locator("#translate")).to_have_text(word)
    board = {"Traducir": "atención", "Translate": "attention"}[word]
    expect(page.locator("#attention")).to_contain_text(board)


def test_two_windows_do_not_mix(open_visitor: Open, translator: Translator) -> None:
    first, second = open_visitor().page, open_visitor().page
    type_sentence(first, "Tengo un perro.")
    type_sentence(second, "Tengo dos gatos.")
    wait_for_text(first, translator.trace("Tengo un perro.", "en").text)
    wait_for_text(second, translator.trace("Tengo dos gatos.", "en").text)


def test_fast_clicks_end_with_the_last_one(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    for sentence in ("¿Dónde está la biblioteca?", "El gato negro duerme en la cocina.", "I like to study."):
        page.locator("#examples").get_by_text(sentence, exact=True).click()
    last = translator.trace("I like to study.", "es").text
    wait_for_text(page, last)
    page.wait_for_timeout(1500)  # an answer that came late would have replaced it by now
    wait_for_text(page, last)


def test_masks_are_those_of_the_sentence(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    page.get_by_role("tab", name="Masks").click()
    expect(page.locator("#masks canvas")).to_have_count(5)
    type_sentence(page, "Tengo un perro.")
    trace = translator.trace("Tengo un perro.", "en")
    rows = page.locator("#masks [data-mask='mask.encoder_padding'] .hl-row-labels > *")
    expect(rows).to_have_count(len(trace.source_tokens) + 5)
    expect(rows.nth(1)).to_contain_text("Teng")
    expect(rows.last).to_have_text("<pad>")


def test_an_output_chip_shows_its_likeliest_alternatives_and_selects_its_step(
    open_visitor: Open, translator: Translator
) -> None:
    page = open_visitor().page
    trace = translator.trace("Me gusta estudiar.", "en")
    chip = page.locator("#result .hl-chip[data-step='2']")
    chip.hover()
    for token, log_prob in trace.top_k[2]:
        expect(page.locator("#result")).to_contain_text(token.replace("\u2581", ""))
        expect(page.locator("#result")).to_contain_text(f"{np.exp(log_prob):.4f}")
    chip.click()
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-step", "2")


def test_positions_are_drawn_and_follow_the_sliders(open_visitor: Open) -> None:
    page = open_visitor().page
    open_tab(page, "positions")
    for name in ("table", "curves", "similarity"):
        expect(page.locator(f"#positions-{name} .main-svg").first).to_be_visible()
    rows = "() => document.querySelector('#positions-table .js-plotly-plot').calcdata[0][0].z.length"
    page.wait_for_function(f"({rows})() === 50")
    page.locator("#length input[type=number]").fill("20")
    page.locator("#length input[type=number]").press("Enter")
    page.wait_for_function(f"({rows})() === 20")


def test_a_broken_checkpoint_is_explained_on_the_page(browser: Browser, tmp_path: Path) -> None:
    with running_app(HEADLIGHT_CHECKPOINT=str(tmp_path)) as url:
        page = browser.new_page(locale="es-ES")
        page.goto(url)
        expect(page.locator("#failure textarea, #failure input")).to_have_value(re.compile("config.json"))
        expect(page.locator("#failure-title")).to_contain_text("no puede arrancar")
        page.close()


def test_a_proxy_that_is_not_there_does_not_stop_the_start() -> None:
    for spelling in ("no_proxy", "NO_PROXY"):
        with running_app(http_proxy="http://127.0.0.1:9", **{spelling: "example.com"}) as url:
            assert url


@pytest.mark.parametrize("port", ["abc", "-1", "70000"])
def test_a_port_that_is_none_is_named(port: str) -> None:
    with pytest.raises(RuntimeError, match="PORT must be a number"), running_app(PORT=port):
        pass


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_page_never_scrolls_sideways(open_visitor: Open, width: int, color_scheme: str) -> None:
    page = open_visitor(viewport={"width": width, "height": 900}, color_scheme=color_scheme).page
    type_sentence(page, "Me gusta estudiar por la noche porque nadie me llama. " * 8)
    expect(page.locator("#result .hl-chip:not([data-step])")).not_to_have_count(6)
    for tab in ("Positions", "Masks", "Attention"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(700)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
