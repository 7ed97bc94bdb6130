"""Links: what is copied in one window shows the same in another, and nothing in an address can break the page."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.acts import open_beam, open_pair
from tests.browser.conftest import Visitor
from transformer.translator import Translator

Open = Callable[..., Visitor]

SENTENCE = "¿Dónde está el 50 % de María & José #1? \U0001f600\n¡Aquí!"
SELECTION: dict[str, Any] = {
    "tab": "attention",
    "map": "decoder_self",
    "layer": 1,
    "head": 3,
    "step": 2,
    "merge": "head",
    "view": "lines",
    "lines": [0, 5],
    "units": "words",
    "special": "hidden",
    "scale": "stretched",
}


def selection(page: Page) -> dict[str, Any]:
    return page.evaluate("headlight.selection()")


def link(page: Page) -> str:
    return page.evaluate("headlight.link()")


def wait_until(page: Page, **shown: Any) -> None:
    """Until the request and the selection have these values."""
    page.wait_for_function(
        """wanted => {
            const now = { ...window.headlight?.request(), ...window.headlight?.selection() };
            return Object.keys(wanted).every((name) => JSON.stringify(now[name]) === JSON.stringify(wanted[name]));
        }""",
        arg=shown,
    )


def go(page: Page, fragment: str) -> None:
    """As if the visitor had changed the fragment in the line of the address."""
    page.evaluate("fragment => { location.hash = fragment; }", fragment)


def test_a_link_shows_the_same_in_another_window(open_visitor: Open, app_url: str) -> None:
    page = open_visitor().page
    open_pair(page)
    page.locator("#forced textarea").fill("Where is 50 % of it? #1 & more")
    open_beam(page)
    page.locator("#beam input[type=number]").fill("3")
    page.locator("#beam input[type=number]").press("Tab")
    page.locator("#sentence textarea").fill(SENTENCE)
    page.locator("#translate").click()
    wait_until(page, text=SENTENCE, beam_size=3, forced="Where is 50 % of it? #1 & more")
    page.evaluate("selection => headlight.select(selection)", SELECTION)
    assert selection(page) == SELECTION
    address = link(page)
    assert address.startswith(f"{app_url}/#text=")

    other = open_visitor(url=address)
    wait_until(other.page, text=SENTENCE, beam_size=3, forced="Where is 50 % of it? #1 & more", **SELECTION)
    assert link(other.page) == address
    result = "document.querySelector('#result [data-result=text]').textContent"
    assert other.page.evaluate(result) == page.evaluate(result)
    expect(other.page.locator("#sentence textarea")).to_have_value(SENTENCE)
    expect(other.page.locator("#direction input[value='en']")).to_be_checked()
    open_beam(other.page)
    expect(other.page.locator("#beam input[type=number]")).to_have_value("3")
    open_pair(other.page)
    expect(other.page.locator("#forced textarea")).to_have_value("Where is 50 % of it? #1 & more")
    expect(other.page.locator("#attention [data-drawn]")).to_have_attribute("data-lines", "0,5")
    assert (other.foreign, other.errors) == ([], [])


def test_the_text_of_a_link_is_sent_to_no_address(open_visitor: Open, app_url: str) -> None:
    asked: list[str] = []
    page = open_visitor().page
    page.on("request", lambda request: asked.append(request.url))
    page.goto("about:blank")
    page.goto(f"{app_url}/#text={quote('Tengo un secreto.')}")
    wait_until(page, text="Tengo un secreto.")
    assert len(asked) > 5
    assert [url for url in asked if "secreto" in url.split("#")[0]] == []


def test_without_a_fragment_nothing_is_computed(open_visitor: Open) -> None:
    """What the server sends on opening replaces nothing: the trace is drawn once."""
    visitor = open_visitor()
    page = visitor.page
    page.wait_for_timeout(2000)
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-drawn", "1")
    assert page.evaluate("location.hash") == ""


@pytest.mark.parametrize("tab", ["steps", "positions", "masks"])
def test_the_tab_is_part_of_the_selection_both_ways(open_visitor: Open, app_url: str, tab: str) -> None:
    page = open_visitor().page
    button = page.locator(f"#tab-{tab}-button")
    button.click()
    assert selection(page)["tab"] == tab
    assert f"&tab={tab}" in link(page)
    other = open_visitor().page
    other.goto("about:blank")
    other.goto(link(page))
    expect(other.locator(f"#tab-{tab}")).to_be_visible()
    expect(other.locator("#tab-attention")).to_be_hidden()
    page.evaluate("headlight.select({ tab: 'attention' })")
    expect(page.locator("#tab-attention")).to_be_visible()
    expect(page.locator(f"#tab-{tab}")).to_be_hidden()


def test_the_fragment_may_change_in_an_open_page_and_back_leads_back(
    open_visitor: Open, translator: Translator
) -> None:
    page = open_visitor().page
    opened = link(page)
    go(page, "#text=Tengo+un+perro.&layer=1&head=2&view=table")
    wait_until(page, text="Tengo un perro.", layer=0, head=1, view="table")
    go(page, "#text=I+like+to+study.&to=es&map=encoder_self&layer=3&head=4")
    wait_until(page, text="I like to study.", target="es", map="encoder_self", layer=2, head=3, view="heatmap")
    expect(page.locator("#sentence textarea")).to_have_value("I like to study.")
    expect(page.locator("#direction input[value='es']")).to_be_checked()
    page.go_back()
    wait_until(page, text="Tengo un perro.", layer=0, head=1, view="table")
    expect(page.locator("#result")).to_contain_text(translator.trace("Tengo un perro.", "en").text)
    page.go_back()
    wait_until(page, text="Me gusta estudiar.", view="heatmap")
    assert link(page) == opened
    page.go_forward()
    wait_until(page, text="Tengo un perro.", layer=0, head=1, view="table")


def test_another_view_of_the_sentence_on_show_is_selected_too(open_visitor: Open) -> None:
    """The server's answer is what the page holds already: nothing tells it that the answer has come."""
    page = open_visitor().page
    for step in (1, 2):
        go(page, f"#step={step}&scale=stretched")
        wait_until(page, step=step - 1, scale="stretched", text="Me gusta estudiar.")
    page.wait_for_timeout(1000)
    assert selection(page)["step"] == 1


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("#layer=99&head=2", "layer=99"),
        ("#head=2&step=9999", "step=9999"),
        ("#head=2&foo=<img src=x onerror=alert(1)>", "foo=<img src=x onerror=alert(1)>"),
        ("#head=2&text=%E0%A4%A", "text=%E0%A4%A"),
        ("#head=2&view=${document.title}", "view=${document.title}"),
        ("#head=2&" + "&".join(f"x{number}" for number in range(5000)), "x0, x1, x2, x3, …"),
        ("#head=2&" + "y" * 50_000, "y" * 40 + "…"),
    ],
)
def test_damaged_parts_are_named_and_the_rest_is_shown(
    open_visitor: Open, app_url: str, fragment: str, said: str
) -> None:
    visitor = open_visitor(url=f"{app_url}/{fragment}")
    expect(visitor.page.locator("#notice p")).to_have_count(1)
    shown = visitor.page.locator("#notice").inner_text()
    assert said in shown.replace("%20", " ").replace("%3C", "<").replace("%3E", ">")
    assert len(shown) < 300
    wait_until(visitor.page, text="Me gusta estudiar.", head=1)
    assert visitor.errors == []


def test_a_fragment_that_means_nothing_changes_nothing(open_visitor: Open) -> None:
    page = open_visitor().page
    page.evaluate("headlight.select({ step: 1 })")
    go(page, "#main-content")
    expect(page.locator("#notice")).to_contain_text("main-content")
    assert selection(page)["step"] == 1


def test_an_address_that_means_nothing_is_named_on_a_page_just_opened_too(open_visitor: Open, app_url: str) -> None:
    page = open_visitor(url=f"{app_url}/#main-content").page
    expect(page.locator("#notice")).to_contain_text("main-content")
    wait_until(page, text="Me gusta estudiar.")


def test_a_given_translation_in_which_nothing_is_to_be_seen_is_none(open_visitor: Open, app_url: str) -> None:
    page = open_visitor(url=f"{app_url}/#text=Tengo+un+perro.&forced=%E2%80%8B&layer=1&head=2").page
    wait_until(page, text="Tengo un perro.", forced=None, layer=0, head=1)


def test_a_link_that_is_refused_is_not_waited_for(open_visitor: Open, app_url: str) -> None:
    page = open_visitor(url=f"{app_url}/#text=&layer=1&head=2").page
    expect(page.locator("#notice")).to_contain_text("Type a sentence")
    opened = selection(page)
    page.locator("#sentence textarea").fill("Me gusta estudiar.")  # what the link would have been compared with
    page.locator("#translate").click()
    expect(page.locator("#notice p")).to_have_count(0)
    assert selection(page) == opened


def test_an_empty_text_in_a_link_gets_the_sentence_for_nothing_typed(open_visitor: Open, app_url: str) -> None:
    page = open_visitor(url=f"{app_url}/#text=&head=2").page
    expect(page.locator("#notice")).to_contain_text("Type a sentence")
    wait_until(page, text="Me gusta estudiar.")


def test_a_link_made_with_another_model_says_so_until_the_next_translation(open_visitor: Open, app_url: str) -> None:
    page = open_visitor(url=f"{app_url}/#text=Tengo+un+perro.&model=fr-de&layer=2").page
    wait_until(page, text="Tengo un perro.", layer=1)
    expect(page.locator("#notice")).to_contain_text("fr-de")
    page.locator("#sentence textarea").fill("Tengo un gato.")
    page.locator("#translate").click()
    wait_until(page, text="Tengo un gato.", layer=1)
    expect(page.locator("#notice p")).to_have_count(0)


def test_a_text_as_long_as_may_be_comes_through(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    text = "Ñandú, pingüino y 北京. " * 1000
    page.locator("#sentence textarea").fill(text)
    page.locator("#translate").click()
    kept = translator.trace(text, "en").source_text
    assert len(kept) < len(text)
    wait_until(page, text=kept)
    page.evaluate("headlight.select({ layer: 0, head: 2, step: 4 })")
    other = open_visitor(url=link(page)).page
    wait_until(other, text=kept, layer=0, head=2, step=4)


def test_the_button_copies_the_link_and_says_so(open_visitor: Open) -> None:
    page = open_visitor(permissions=["clipboard-read", "clipboard-write"]).page
    page.locator(".hl-thumb[data-layer='1'][data-head='2']").click()
    page.locator("[data-copy-link]").click()
    expect(page.locator("#tools [role=status]")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == link(page)
    page.locator(".hl-thumb[data-layer='0'][data-head='0']").click()
    expect(page.locator("#tools [role=status]")).to_be_empty()


def test_where_copying_is_refused_the_link_can_be_copied_by_hand(open_visitor: Open) -> None:
    page = open_visitor().page
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.locator("[data-copy-link]").click()
    expect(page.locator("#tools [role=status]")).to_have_text(re.compile("copy it with your keyboard"))
    field = page.locator("#tools input")
    expect(field).to_be_focused()
    expect(field).to_have_value(link(page))
    assert page.evaluate("document.activeElement.selectionEnd - document.activeElement.selectionStart") == len(
        link(page)
    )
