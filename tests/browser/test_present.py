"""Presenting: opened by address, key and button; what every key does to the selection and to what is painted; what is
out of reach meanwhile; that a frozen picture stays as it is; and that leaving brings everything back."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visitor
from transformer.trace import KINDS, Kind, Trace
from transformer.translator import Translator
from viz.board.standalone import Board, standalone_page
from viz.tabs.masks import panels_payload
from viz.tabs.translate import trace_payload
from viz.text import texts

Open = Callable[..., Visitor]

SLIDE = "main.hl-slide"
viridis = colormaps["viridis"]
DOZEN = "El gato negro de mi hermana duerme en la cocina."
KEY_MAPS: dict[str, Kind] = {"1": "encoder_self", "2": "decoder_self", "3": "cross"}
NAMES = {kind: texts("en")[f"map.{kind}"] for kind in KINDS}


def selection(page: Page) -> dict[str, Any]:
    return page.evaluate("headlight.selection()")


def present(page: Page) -> None:
    page.keyboard.press("p")
    expect(page.locator(SLIDE)).to_be_visible()


def expect_head(page: Page, trace: Trace, kind: Kind, layer: int, head: int) -> None:
    """In the selection, in the title, in the attributes and in the numbers that are painted."""
    slide = page.locator(SLIDE)
    for name, value in (("map", kind), ("layer", layer), ("head", head)):
        expect(slide).to_have_attribute(f"data-{name}", str(value))
    chosen = selection(page)
    assert (chosen["map"], chosen["layer"], chosen["head"], chosen["merge"]) == (kind, layer, head, "head")
    expect(slide.locator("h3")).to_have_text(f"{NAMES[kind]} · Layer {layer + 1}, head {head + 1}")
    layers, heads = trace.weights(kind).shape[:2]
    expect(slide.locator(".hl-slide-place")).to_contain_text(f"{layer * heads + head + 1} of {layers * heads}")
    painted = page.evaluate(PIXELS)
    weights, mask = trace.weights(kind)[layer, head], trace.mask(kind)
    assert np.array(painted["shape"]).tolist() == list(weights.shape)
    shown = np.array(painted["pixels"], dtype=float).reshape(*weights.shape, 4)
    assert ((shown[..., 3] > 0) == mask).all()
    assert (np.abs(shown[..., :3] - 255 * viridis(weights)[..., :3])[mask] <= 8).all()


PIXELS = """() => {
    const canvas = document.querySelector("main.hl-slide .hl-cells canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return { shape: [canvas.height, canvas.width], pixels: [...data] };
}"""


@pytest.fixture
def trace(translator: Translator) -> Trace:
    return translator.trace("Me gusta estudiar.", "en")


@pytest.fixture
def page(open_visitor: Open) -> Page:
    """The first example, with the first head of the encoder."""
    page = open_visitor(viewport={"width": 1280, "height": 720}).page
    page.evaluate("headlight.select({ map: 'encoder_self', layer: 0, head: 0 })")
    return page


def test_a_link_that_asks_to_present_does_so_at_once(open_visitor: Open, app_url: str, translator: Translator) -> None:
    text = "I like to study."
    address = f"{app_url}/?present=1#text=I+like+to+study.&to=es&map=decoder_self&layer=2&head=3"
    visitor = open_visitor(url=address, shows=f"{SLIDE}:not([data-drawn='0'])")
    trace = translator.trace(text, "es")
    expect_head(visitor.page, trace, "decoder_self", 1, 2)
    written = visitor.page.locator(f"{SLIDE} .hl-output")
    assert [chip.replace("_", "▁") for chip in written.all_text_contents()] == list(trace.output_tokens)
    expect(visitor.page.locator("#attention")).to_be_hidden()
    assert (visitor.errors, visitor.foreign) == ([], [])


def test_the_key_and_the_button_present_and_the_page_comes_back_as_it_was(page: Page) -> None:
    page.evaluate("location.hash = '#head=2'; headlight.select({ map: 'encoder_self', layer: 0, head: 1 })")
    page.evaluate("document.querySelector('#attention').scrollIntoView()")
    before = page.evaluate("[location.href, scrollY]")
    assert before[1] > 0
    thumb = page.locator("#attention .hl-thumb[data-layer='0'][data-head='1']")
    thumb.evaluate("node => node.focus({ preventScroll: true })")
    for key in ("p", "Escape"):
        present(page)
        expect(page.locator(SLIDE)).to_be_focused()
        assert "?present=1#" in page.evaluate("location.href")
        assert "present" not in page.evaluate("headlight.link()")
        page.keyboard.press(key)
        expect(page.locator(SLIDE)).to_have_count(0)
        expect(thumb).to_be_focused()
        assert page.evaluate("[location.href, scrollY]") == before
    button = page.locator("[data-present]")
    button.click()
    expect(page.locator(SLIDE)).to_be_visible()
    page.locator("[data-act='leave']").click()
    expect(button).to_be_focused()
    expect(page.locator("#attention [data-drawn]")).to_be_visible()


def test_the_page_fits_a_window_that_changed_meanwhile(page: Page) -> None:
    page.get_by_role("tab", name="Positions").click()
    plot = page.locator("#positions-table .main-svg").first
    expect(plot).to_be_visible()
    present(page)
    page.set_viewport_size({"width": 800, "height": 600})
    page.keyboard.press("Escape")
    expect(plot).to_be_visible()
    page.wait_for_function("document.documentElement.scrollWidth <= 800")
    page.wait_for_function("document.querySelector('#positions-table .main-svg').getBoundingClientRect().width < 800")


def test_loading_the_page_again_goes_on_with_the_same_head(page: Page, trace: Trace) -> None:
    present(page)
    for _ in range(3):
        page.keyboard.press("PageDown")
    page.wait_for_url(re.compile(r"\?present=1#.*map=encoder_self.*head=4"))
    page.reload()
    page.wait_for_selector(f"{SLIDE}:not([data-drawn='0'])")
    expect_head(page, trace, "encoder_self", 0, 3)


def test_the_key_is_a_letter_where_text_is_typed(page: Page) -> None:
    field = page.locator("#sentence textarea, #sentence input")
    field.fill("")
    field.press_sequentially("papa pipa")
    expect(field).to_have_value("papa pipa")
    page.locator("#attention .hl-thumb").first.focus()
    for keys in ("Control+p", "Alt+p", "Meta+p"):
        page.evaluate("document.body.addEventListener('keydown', (event) => event.preventDefault(), { once: true })")
        page.keyboard.press(keys)
    expect(page.locator(SLIDE)).to_have_count(0)
    present(page)


@pytest.mark.parametrize("forwards", ["ArrowRight", "ArrowDown", "PageDown"])
def test_keys_step_through_all_heads_of_all_maps_and_round(page: Page, trace: Trace, forwards: str) -> None:
    present(page)
    order = [
        (kind, layer, head)
        for kind in KEY_MAPS.values()
        for layer in range(trace.weights(kind).shape[0])
        for head in range(trace.weights(kind).shape[1])
    ]
    for kind, layer, head in [*order, order[0]]:
        expect_head(page, trace, kind, layer, head)
        page.keyboard.press(forwards)


@pytest.mark.parametrize("backwards", ["ArrowLeft", "ArrowUp", "PageUp"])
def test_keys_step_backwards(page: Page, trace: Trace, backwards: str) -> None:
    present(page)
    layers, heads = trace.cross.shape[:2]
    page.keyboard.press(backwards)
    expect_head(page, trace, "cross", layers - 1, heads - 1)
    page.keyboard.press(backwards)
    expect_head(page, trace, "cross", layers - 1, heads - 2)


def test_other_keys_lead_to_first_last_and_maps(page: Page, trace: Trace) -> None:
    layers, heads = trace.cross.shape[:2]
    present(page)
    page.keyboard.press("End")
    expect_head(page, trace, "encoder_self", layers - 1, heads - 1)
    for key in ("2", "3", "1"):
        page.keyboard.press(key)
        expect_head(page, trace, KEY_MAPS[key], layers - 1, heads - 1)
    page.keyboard.press("Home")
    expect_head(page, trace, "encoder_self", 0, 0)
    for act, place in (("next", 1), ("previous", 0)):
        page.locator(f"[data-act='{act}']").click()
        expect_head(page, trace, "encoder_self", 0, place)
    page.locator("[data-act='map']").click()
    expect_head(page, trace, "decoder_self", 0, 0)


def test_a_merged_picture_is_presented_and_left_by_a_step(page: Page, trace: Trace) -> None:
    page.evaluate("headlight.select({ merge: 'layer_mean', layer: 1, head: 2, lines: [0] })")
    present(page)
    expect(page.locator(f"{SLIDE} h3")).to_contain_text("Layer 2, mean of its")
    page.keyboard.press("ArrowRight")
    expect_head(page, trace, "encoder_self", 1, 2)
    assert selection(page)["lines"] == []


def test_other_shortcuts_of_the_browser_are_left_alone(page: Page) -> None:
    present(page)
    page.evaluate("addEventListener('keydown', (event) => (window.taken = event.defaultPrevented))")
    for keys, taken in (("Control+ArrowRight", False), ("Shift+ArrowRight", False), ("x", False), ("ArrowRight", None)):
        page.evaluate("window.taken = null")
        page.keyboard.press(keys)
        assert page.evaluate("window.taken") is taken
    assert selection(page)["head"] == 1


def test_cells_are_reached_with_shift(page: Page, trace: Trace) -> None:
    present(page)
    for keys in ("Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown"):  # the first goes there
        page.keyboard.press(keys)
    shown = page.locator(f"{SLIDE} [data-weight]")
    expect(shown).to_have_attribute("data-weight", f"{trace.encoder_self[0, 0, 1, 2]:.4f}")
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_attribute("data-weight", f"{trace.encoder_self[0, 1, 1, 2]:.4f}")


def point(page: Page, row: int, column: int) -> None:
    """With the mouse, at a cell of the presented picture."""
    box = page.locator(f"{SLIDE} .hl-cells canvas").bounding_box()
    rows, columns = page.evaluate(PIXELS)["shape"]
    assert box is not None
    page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / columns, box["y"] + (row + 0.5) * box["height"] / rows, steps=4
    )


def test_frozen_nothing_changes_but_by_keys_that_step(page: Page, trace: Trace) -> None:
    present(page)
    readout = page.locator(f"{SLIDE} [data-weight]")
    point(page, 1, 2)
    expect(readout).to_have_attribute("data-weight", f"{trace.encoder_self[0, 0, 1, 2]:.4f}")
    expect(page.locator(".hl-frozen")).to_be_hidden()
    page.keyboard.press("z")
    expect(page.locator(".hl-frozen")).to_be_visible()
    expect(page.locator("[data-act='freeze']")).to_have_attribute("aria-pressed", "true")
    page.mouse.move(5, 715)
    still = page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": 670})
    for row, column in ((0, 0), (3, 3), (2, 4)):
        point(page, row, column)
        page.mouse.down()
        page.mouse.up()
    chip = page.locator(f"{SLIDE} .hl-output").first.bounding_box()
    assert chip is not None
    page.mouse.click(chip["x"] + 5, chip["y"] + 5)
    page.mouse.move(5, 715)
    assert page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": 670}) == still
    assert selection(page)["step"] is None
    page.keyboard.press("ArrowRight")
    expect_head(page, trace, "encoder_self", 0, 1)
    expect(readout).to_have_attribute("data-weight", f"{trace.encoder_self[0, 1, 1, 2]:.4f}")
    expect(page.locator(".hl-frozen")).to_be_visible()
    page.keyboard.press("z")
    expect(page.locator(".hl-frozen")).to_be_hidden()
    point(page, 3, 3)
    expect(readout).to_have_attribute("data-weight", f"{trace.encoder_self[0, 1, 3, 3]:.4f}")
    page.locator(f"{SLIDE} .hl-output").nth(1).click()
    assert selection(page)["step"] == 1


def test_the_screen_turns_black_and_back(page: Page, trace: Trace) -> None:
    present(page)
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(page.locator(f"{SLIDE} h3")).to_be_hidden()
        assert page.evaluate(f"getComputedStyle(document.querySelector('{SLIDE}')).backgroundColor") == "rgb(0, 0, 0)"
        page.keyboard.press(key)
        expect(page.locator(f"{SLIDE} h3")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("PageDown")
    expect(page.locator(f"{SLIDE} h3")).to_be_visible()
    expect_head(page, trace, "encoder_self", 0, 1)
    page.keyboard.press("b")
    page.mouse.click(600, 300)
    expect(page.locator(f"{SLIDE} h3")).to_be_visible()


def test_full_screen_and_its_refusal(page: Page) -> None:
    present(page)
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement !== null")
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement === null")
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement !== null")
    page.keyboard.press("p")
    page.wait_for_function("document.fullscreenElement === null")
    page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject(new TypeError('not here')); }")
    present(page)
    page.keyboard.press("f")
    expect(page.locator(f"{SLIDE} [role='status']")).to_contain_text("does not let the page fill the screen")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{SLIDE} [role='status']")).to_be_empty()
    assert selection(page)["head"] == 1


def test_nothing_else_can_be_reached(page: Page) -> None:
    present(page)
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.closest('main.hl-slide, body').className"))
    assert {name.split()[0] for name in seen if name} <= {"hl", "hl-presenting"}
    assert any("hl-slide" in name for name in seen)
    names = page.evaluate(
        """() => [...document.body.querySelectorAll("*")].filter((node) => !node.closest("main.hl-slide")
            && node.checkVisibility({ checkVisibilityCSS: true })).map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert names == []


def test_screen_readers_are_told_the_head(page: Page, trace: Trace) -> None:
    layers, heads = trace.encoder_self.shape[:2]
    present(page)
    expect(page.get_by_role("main", name="Presentation")).to_be_focused()
    told = page.locator(f"{SLIDE} > [aria-live]")
    page.keyboard.press("ArrowRight")
    expect(told).to_have_text(f"{NAMES['encoder_self']} · Layer 1, head 2, 2 of {layers * heads}")
    page.keyboard.press("z")
    expect(told).to_have_text("Frozen")


NEEDS_SCROLLING = """() => [document.documentElement, ...document.querySelectorAll("main.hl-slide, main.hl-slide *")]
    .filter((node) => node.tagName === "HTML" || getComputedStyle(node).overflowY !== "visible")
    .filter((node) => node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1)
    .filter((node) => !node.matches(".hl-unseen, .hl-label, .hl-strand-piece, .hl-chip"))
    .map((node) => [node.className, node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth])"""


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1024, 768), (844, 390)])
def test_a_dozen_tokens_need_no_scrolling(open_visitor: Open, app_url: str, size: tuple[int, int]) -> None:
    address = f"{app_url}/?present=1#text={DOZEN.replace(' ', '+')}&map=cross"
    viewport = {"width": size[0], "height": size[1]}
    page = open_visitor(url=address, shows=f"{SLIDE}:not([data-drawn='0'])", viewport=viewport).page
    for view in ("heatmap", "lines"):
        page.evaluate("view => headlight.select({ view })", view)
        for key in ("1", "2", "3"):
            page.keyboard.press(key)
            expect(page.locator(SLIDE)).to_have_attribute("data-map", KEY_MAPS[key])
            expect(page.locator(SLIDE)).to_have_attribute("data-view", view)
            page.wait_for_timeout(100)  # the size of the text may make room, which is fitted in the next frame
            assert page.evaluate(NEEDS_SCROLLING) == []


def test_type_and_cells_grow_with_the_window(open_visitor: Open, app_url: str) -> None:
    found = {}
    for width, height in ((1280, 720), (1920, 1080)):
        page = open_visitor(viewport={"width": width, "height": height}).page
        present(page)
        page.wait_for_timeout(200)
        cells = page.locator(f"{SLIDE} .hl-cells").bounding_box()
        type_size = page.evaluate(f"parseFloat(getComputedStyle(document.querySelector('{SLIDE} .hl-label')).fontSize)")
        assert cells is not None
        assert type_size >= height / 36  # what a row far back can read
        assert cells["height"] > 0.5 * height
        found[width] = (type_size, cells["height"])
    assert found[1920][0] > 1.4 * found[1280][0]
    assert found[1920][1] > 1.4 * found[1280][1]


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_saved_board_presents_without_a_network(
    browser: Browser, translator: Translator, trace: Trace, tmp_path: Path, color_scheme: Any
) -> None:
    words = texts("en")
    payload, masks = trace_payload(translator, trace), panels_payload(translator, trace)
    board = Board(trace.source_text, payload, masks, {"map": "encoder_self", "layer": 0, "head": 0})
    path = tmp_path / "board.html"
    path.write_text(standalone_page(board, "title", "stamp", words, "en"), encoding="utf-8")
    context = browser.new_context(offline=True, color_scheme=color_scheme, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{path.as_uri()}?present=1")
    ground = page.evaluate(f"getComputedStyle(document.querySelector('{SLIDE}')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert brightness > 240 if color_scheme == "light" else brightness < 40
    page.keyboard.press("PageDown")
    expect(page.locator(f"{SLIDE} h3")).to_have_text(f"{NAMES['encoder_self']} · Layer 1, head 2")
    assert page.evaluate(NEEDS_SCROLLING) == []
    page.keyboard.press("Escape")
    expect(page.locator(SLIDE)).to_have_count(0)
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-head", "1")
    assert "?" not in page.url
    page.locator("[data-present]").click()
    expect(page.locator(SLIDE)).to_be_visible()
    expect(page.locator("#attention")).to_be_hidden()
    assert errors == []
    context.close()
