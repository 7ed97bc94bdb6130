"""The page for those who go by keys, who listen, who see few colours, who want no motion, and who hold a phone."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.acts import open_beam, open_pair, open_tab, saved, type_sentence, wait_for_text
from tests.browser.conftest import Visitor
from transformer.translator import Translator

Open = Callable[..., Visitor]
#: More stops of the tab key than any part of the page has.
MANY = 80
TABS = ("attention", "steps", "positions", "masks")


def select(page: Page, **change: Any) -> None:
    page.evaluate("change => headlight.select(change)", change)
    for name, value in change.items():
        if name != "lines":
            expect(page.locator("#attention [data-drawn]")).to_have_attribute(f"data-{name}", str(value))


def settle(page: Page) -> None:
    """Until nothing fades any more: the result while Gradio waits for the server, and a list that has just come."""
    page.wait_for_function(
        """() => document.getAnimations().every(({ playState }) => playState === "finished")
            && ["#result .hl", ".options"].every((place) => {
                let opacity = 1;
                for (let node = document.querySelector(place); node; node = node.parentElement) {
                    opacity *= getComputedStyle(node).opacity;
                }
                return opacity === 1;
            })"""
    )


def states(page: Page) -> Iterator[str]:
    """The page in all its shapes, one after the other."""
    settle(page)
    yield "as it opens"
    page.locator(".hl-head canvas").focus()
    page.keyboard.press("ArrowRight")
    yield "a cell"
    select(page, map="decoder_self", step=1, scale="stretched")
    yield "decoder"
    select(page, map="cross", view="lines", lines=[0, 1, 2, 3, 4, 5])
    yield "lines"
    page.locator(".hl-strand-token").first.focus()
    yield "lines of a token"
    select(page, map="decoder_self")
    page.locator(".hl-strand-token").first.focus()
    yield "forbidden lines"
    select(page, map="cross")
    select(page, view="table", units="words", special="hidden")
    yield "table"
    select(page, view="heatmap", map="encoder_self", merge="rollout", units="pieces")
    yield "rollout"
    page.locator(".hl-diagnostics summary").click()
    page.locator(".hl-proof summary").click()
    yield "heads in numbers, proof"
    page.locator("#result .hl-output").nth(1).focus()
    yield "candidates"
    open_beam(page)
    open_pair(page)
    page.locator("#forced textarea").fill("I love learning.")
    page.locator("#translate").click()
    expect(page.locator(".hl-typed-pair")).to_be_visible()
    settle(page)
    yield "accordions, a typed pair"
    page.locator("#download-what input").click()
    expect(page.locator("#download-what [role=option]").first).to_be_visible()
    settle(page)
    yield "downloads"
    page.keyboard.press("Escape")
    for tab in ("steps", "positions", "masks"):
        open_tab(page, tab)
        yield tab


def findings(page: Page) -> list[str]:
    """What axe-core has to say, whatever its impact: rule, place and reason."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}) {node['target']}: {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(("width", "color_scheme", "locale"), [(1280, "light", "en-GB"), (390, "dark", "es-ES")])
def test_axe_finds_nothing(open_visitor: Open, width: int, color_scheme: str, locale: str) -> None:
    page = open_visitor(viewport={"width": width, "height": 900}, color_scheme=color_scheme, locale=locale).page
    assert {state: found for state in states(page) if (found := findings(page))} == {}


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_saved_board(
    open_visitor: Open, browser: Browser, tmp_path: Path, color_scheme: str
) -> None:
    path = tmp_path / "board.html"
    path.write_bytes(saved(open_visitor().page, "board", "html")[1])
    page = browser.new_page(color_scheme=color_scheme)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    expect(page.locator("#masks canvas")).to_have_count(5)
    assert findings(page) == []
    page.close()


def test_axe_does_find_something(open_visitor: Open) -> None:
    page = open_visitor().page
    page.evaluate("document.querySelector('.hl-head canvas').removeAttribute('aria-label')")
    page.evaluate("document.querySelector('.hl-caution').style.color = '#bbb'")
    found = "\n".join(findings(page))
    assert "color-contrast (serious)" in found


# Keys


FOCUS = """() => {
    const node = document.activeElement;
    if (!node || node === document.body) return null;
    const ringed = (each) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(each);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    };
    // A radio's label and a list's frame are marked in their place.
    const marked = [node, node.closest("label"), node.closest(".wrap")].some((each) => each && ringed(each));
    const { x, y, width, height } = node.getBoundingClientRect();
    const inside = x > -1 && y > -1 && x + Math.min(width, innerWidth) < innerWidth + 2 && y < innerHeight;
    return { what: node.outerHTML.slice(0, 160), marked, inside };
}"""


def focus(page: Page) -> dict[str, Any] | None:
    """What has the focus; it must be seen to have it, and lie within the window."""
    found: dict[str, Any] | None = page.evaluate(FOCUS)
    if found is not None:
        assert found["marked"], f"no ring: {found['what']}"
        assert found["inside"], f"out of sight: {found['what']}"
    return found


def go_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """By the tab key, backwards with "Shift+Tab", to one of the target's elements."""
    for _ in range(MANY):
        page.keyboard.press(key)
        assert focus(page), "the end of the page"
        if target.evaluate_all("nodes => nodes.includes(document.activeElement)"):
            return
    raise AssertionError(f"not reached: {target}")


def stops(page: Page) -> list[str]:
    """All stops of the tab key from here to the end of the page."""
    found: list[str] = []
    for _ in range(MANY):
        page.keyboard.press("Tab")
        node = focus(page)
        if node is None:
            return found
        found.append(node["what"])
    raise AssertionError("the focus is caught, or goes round: " + "\n".join(found[-5:]))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def shown(page: Page) -> Locator:
    return page.locator("#attention [data-drawn]")


def test_a_sentence_is_typed_translated_and_looked_at_by_keys_alone(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor(permissions=["clipboard-read", "clipboard-write"]).page
    sentence = "El perro negro duerme en la cocina."
    go_to(page, page.locator("#sentence textarea"))
    press(page, "Control+a")
    page.keyboard.type(sentence)
    press(page, "Enter")
    trace = translator.trace(sentence, "en")
    wait_for_text(page, trace.text)

    go_to(page, page.locator(".hl-output"))
    press(page, "ArrowRight", "ArrowRight", "ArrowLeft", "Enter")
    expect(shown(page)).to_have_attribute("data-step", "1")
    expect(page.locator(".hl-output").nth(1)).to_be_focused()
    described = page.locator(".hl-output").nth(1).get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text(f"{np.exp(trace.log_probs[1]):.4f}")
    expect(page.locator("[aria-describedby=hl-candidates]")).to_have_count(1)

    go_to(page, page.locator("[data-copy-link]"))
    press(page, "Enter")
    expect(page.locator("#tools [role=status]").first).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("headlight.link()")

    go_to(page, page.locator("[data-map-button]"))
    press(page, "ArrowLeft")
    expect(shown(page)).to_have_attribute("data-map", "decoder_self")
    press(page, "ArrowLeft")
    expect(shown(page)).to_have_attribute("data-map", "encoder_self")
    go_to(page, page.locator(".hl-grid button"))
    for _ in range(len(trace.encoder_self)):
        press(page, "ArrowUp")
    press(page, "Home", "ArrowRight", "ArrowRight", "ArrowDown", "Enter")
    expect(shown(page)).to_have_attribute("data-layer", "1")
    expect(shown(page)).to_have_attribute("data-head", "1")
    assert_cell_is_told(page, float(trace.encoder_self[1, 1, 1, 2]))


def assert_cell_is_told(page: Page, weight: float) -> None:
    """The one in the second row and the third column: shown and, after a while, read out, with where it is."""
    go_to(page, page.locator(".hl-heatmap canvas"))
    press(page, "ArrowDown", "ArrowRight", "ArrowRight")
    expect(page.locator(".hl-heatmap .hl-value")).to_have_text(f"{weight:.4f}")
    spoken = page.locator(".hl-heatmap [aria-live]")
    expect(spoken).to_contain_text(f"{weight:.4f}")
    row, column = (page.locator(f".hl-{side}-labels > .hl-crossed").inner_text() for side in ("row", "column"))
    said = spoken.text_content() or ""
    assert all(token.replace("\u2581", "") in said for token in (row, column))
    assert "\u2581" not in said
    expect(page.locator(".hl-heatmap canvas")).to_have_attribute("aria-label", re.compile("Layer 2, head 2"))


def test_the_views_and_the_heads_in_numbers_are_reached_by_keys_alone(
    open_visitor: Open, translator: Translator
) -> None:
    page = open_visitor().page
    trace = translator.trace("Me gusta estudiar.", "en")
    aligned = translator.alignment_head
    assert aligned is not None
    weights = trace.cross[aligned.layer, aligned.head]
    go_to(page, page.locator("[data-view-button]"))
    press(page, "ArrowRight")
    expect(shown(page)).to_have_attribute("data-view", "lines")
    go_to(page, page.locator(".hl-strand-token"))
    press(page, "ArrowDown")
    numbers = page.locator(".hl-strand-side").nth(1).locator(".hl-strand-number")
    expect(numbers).to_have_text([f"{weight:.4f}" for weight in weights[1]])
    expect(page.locator(".hl-linesview [aria-live]")).to_contain_text(f"{weights[1].max():.4f}")

    go_to(page, page.locator("[data-view-button]"), "Shift+Tab")
    press(page, "ArrowRight")
    expect(shown(page)).to_have_attribute("data-view", "table")
    go_to(page, page.locator("[data-special-button]"))
    press(page, "ArrowRight")
    expect(shown(page)).to_have_attribute("data-special", "hidden")
    press(page, "ArrowLeft")
    expect(shown(page)).to_have_attribute("data-special", "shown")
    go_to(page, page.locator(".hl-picture .hl-table-scroll"))
    cells = page.locator(".hl-picture tbody td").all_inner_texts()
    assert cells == [f"{weight:.4f}" for weight in weights.ravel()]

    go_to(page, page.locator(".hl-diagnostics summary"), "Shift+Tab")
    press(page, "Enter")
    entropy = page.locator(".hl-diagnostics [data-sort=entropy]")
    go_to(page, entropy.locator("button"))
    press(page, "Enter")
    expect(entropy).to_have_attribute("aria-sort", "descending")
    expect(entropy.locator("button")).to_be_focused()
    first = page.locator(".hl-diagnostics tbody tr").first
    go_to(page, first.locator("button"))
    press(page, "Enter")
    layer, head = (first.get_attribute("data-head") or "").split(".")
    expect(shown(page)).to_have_attribute("data-layer", layer)
    expect(shown(page)).to_have_attribute("data-head", head)


def test_a_cell_of_a_mask_is_told_to_those_who_listen(open_visitor: Open) -> None:
    page = open_visitor().page
    go_to(page, page.locator("#tab-masks-button"))
    press(page, "Enter")
    causal = page.locator("[data-mask='mask.decoder_causal']")
    go_to(page, causal.locator("canvas"))
    press(page, "ArrowRight")
    expect(causal.locator("[aria-live]")).to_have_text("<s> must not look at I")


def test_the_way_past_the_sentence_is_the_first_stop(open_visitor: Open) -> None:
    page = open_visitor().page
    press(page, "Tab")
    skip = page.get_by_role("button", name="Skip to the pictures")
    expect(skip).to_be_focused()
    assert focus(page)
    press(page, "Enter")
    expect(page.locator("#tab-attention-button")).to_be_focused()


@pytest.mark.parametrize("tab", TABS)
def test_the_tab_key_leads_through_the_page_and_out(open_visitor: Open, tab: str) -> None:
    """Each stop has a ring; a sentence's pieces, the grid of heads and each choice are one stop."""
    page = open_visitor().page
    if tab != "attention":
        open_tab(page, tab)
        page.evaluate("document.activeElement.blur()")
        page.locator("h1").click()
    found = stops(page)
    once = (r"hl-output", r"hl-thumb|hl-layer", r"data-map-button") if tab == "attention" else (r"hl-output",)
    for pattern in once:
        assert len([stop for stop in found if re.search(pattern, stop)]) == 1, pattern
    assert page.locator("[tabindex]:not([tabindex='0'], [tabindex='-1'])").count() == 0


# Names


def test_moving_the_mouse_chatters_to_nobody(open_visitor: Open) -> None:
    page = open_visitor().page
    canvas = page.locator(".hl-heatmap canvas")
    for place in (10, 70, 130, 190):
        canvas.hover(position={"x": place, "y": place})
    expect(page.locator(".hl-heatmap .hl-value")).to_be_visible()
    page.wait_for_timeout(1000)  # more than what a place that keys reached waits before it is read out
    expect(page.locator(".hl-heatmap [aria-live]")).to_be_empty()


def test_a_translation_is_read_out_when_it_comes(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    type_sentence(page, "Tengo un perro.")
    told = page.locator("#result [aria-live=polite]").first
    expect(told).to_have_text(translator.trace("Tengo un perro.", "en").text)
    expect(told.locator("[lang=en]")).to_have_count(1)


@pytest.mark.parametrize("tab", TABS)
def test_headings_make_an_outline(open_visitor: Open, tab: str) -> None:
    page = open_visitor().page
    open_tab(page, tab)
    levels = [int(level) for level in re.findall(r"heading .*\[level=(\d)\]", page.locator("body").aria_snapshot())]
    assert levels[:3] == [1, 2, 2]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_what_is_read_out_speaks_the_page_s_language(open_visitor: Open) -> None:
    page = open_visitor(locale="es-MX").page
    assert page.evaluate("document.documentElement.lang").startswith("es")
    open_beam(page)
    expect(page.get_by_role("slider", name="Tamaño del haz")).to_be_visible()
    expect(page.get_by_role("group", name="Dirección")).to_be_visible()
    expect(page.get_by_role("button", name="Decodificación", expanded=True)).to_be_visible()
    open_tab(page, "positions")
    expect(page.get_by_role("tabpanel", name="Posiciones")).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Longitud: cuántas posiciones", exact=True)).to_be_visible()
    expect(page.get_by_role("group", name="Semejanza entre posiciones")).to_be_visible()
    heard = page.locator("body").aria_snapshot()
    assert not re.search(r"number input|range slider|Reset to|[Zz]oom|Download", heard)
    assert len(re.findall(r'button "Ver todo"', heard)) == 3


def test_tables_say_what_they_are(open_visitor: Open) -> None:
    page = open_visitor().page
    select(page, view="table")
    page.locator(".hl-diagnostics summary").click()
    tables = page.locator("table:visible")
    expect(tables).to_have_count(2)
    for table in tables.all():
        expect(table.locator("caption")).not_to_be_empty()
        assert table.locator("th:not([scope])").count() == 0
    heard = page.locator(".hl-picture table").aria_snapshot()
    assert 'columnheader "gusta"' in heard
    assert "\u2581" not in heard


# Colours: tests/viz/test_colors.py holds that they are told apart.


def test_numbers_of_several_heads_name_their_heads(open_visitor: Open, translator: Translator) -> None:
    """Lines differ in colour; who sees no colours reads which is which."""
    page = open_visitor().page
    trace = translator.trace("Me gusta estudiar.", "en")
    select(page, view="lines", layer=1, head=4, lines=[0, 2])
    page.locator(".hl-strand-token").nth(2).focus()
    numbers = page.locator(".hl-strand-side").nth(1).locator("li").nth(3).locator(".hl-strand-number")
    expect(numbers).to_have_text([f"{head + 1}: {trace.cross[1, head, 2, 3]:.4f}" for head in (4, 0, 2)])


def test_in_colours_of_the_system_what_is_chosen_is_seen(open_visitor: Open) -> None:
    page = open_visitor(forced_colors="active").page
    page.locator(".hl-output").nth(1).click()
    ground = "node => getComputedStyle(node).backgroundColor"
    for chosen, other in (
        ("[data-map-button=cross]", "[data-map-button=encoder_self]"),
        ("[data-view-button=heatmap]", "[data-view-button=table]"),
        (".hl-output[aria-pressed=true]", ".hl-output[aria-pressed=false]"),
        ("#direction input:checked", "#direction input:not(:checked)"),
    ):
        assert page.locator(chosen).first.evaluate(ground) != page.locator(other).first.evaluate(ground), chosen
    framed = "node => getComputedStyle(node, '::before').borderTopWidth"
    assert page.locator(".hl-thumb[aria-selected=true]").evaluate(framed) == "3px"
    assert page.locator(".hl-thumb[aria-selected=false]").first.evaluate(framed) == "0px"


# Motion


MOVING = """() => [...document.querySelectorAll("*")].filter((node) => {
    const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(node);
    const lasts = (times) => times.split(",").some((time) => parseFloat(time) > 0.001);
    return lasts(transitionDuration) || (animationName !== "none" && lasts(animationDuration))
        || scrollBehavior === "smooth";
}).map((node) => node.outerHTML.slice(0, 100))"""


def test_nothing_moves_for_those_who_ask_for_it(open_visitor: Open) -> None:
    page = open_visitor(reduced_motion="reduce").page
    page.locator("#translate").click()
    page.locator(".hl-thumb").nth(3).hover()
    for tab in TABS:
        open_tab(page, tab)
        assert page.evaluate(MOVING) == []
        page.wait_for_function("document.getAnimations().every(({ playState }) => playState === 'finished')")


# Phones, and pages enlarged


SMALL = """() => [...document.querySelectorAll(
    "button, a[href], input, select, textarea, summary, [tabindex='0']")].filter((node) => {
    if (!node.checkVisibility() || node.closest("[aria-hidden='true'], p")) return false;
    const { width, height } = (node.closest("label, .wrap-inner") ?? node).getBoundingClientRect();
    return width < 23.99 || height < 23.99;
}).map((node) => node.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("width", [320, 390, 640])
def test_a_narrow_page_scrolls_only_downwards_and_is_large_enough_for_fingers(open_visitor: Open, width: int) -> None:
    """640 is a laptop's window of 1280 at 200 %; 320 the same at 400 %, where tabs must not hide in a menu.

    24 pixels each way are asked for by WCAG 2.2, 2.5.8, which leaves out links within a sentence.
    """
    page = open_visitor(viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True).page
    type_sentence(page, "No sé por qué Tom llegó tarde, pero me gusta estudiar por la noche.")
    expect(page.locator("#result")).to_contain_text("Tom")
    for state in states(page):
        assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [width, width], state
        assert page.evaluate(SMALL) == [], state


def test_a_tap_shows_the_number_of_its_cell(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).page
    trace = translator.trace("Me gusta estudiar.", "en")
    aligned = translator.alignment_head
    assert aligned is not None
    page.locator(".hl-heatmap canvas").tap()
    readout = page.locator(".hl-heatmap .hl-readout")
    row, column = (int(readout.get_attribute(f"data-{name}") or -1) for name in ("row", "column"))
    assert min(row, column) >= 2  # it was tapped in its middle
    expect(readout.locator(".hl-value")).to_have_text(f"{trace.cross[aligned.layer, aligned.head, row, column]:.4f}")
