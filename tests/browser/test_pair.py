"""A pair of one's own and the proof: the numbers on the page are the model's, and the words beside them agree."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.acts import open_pair
from tests.browser.conftest import Visitor
from tests.browser.plain import board_page, random_trace
from transformer.proof import Proof, row_sum_error
from transformer.translator import Translator
from viz.board.payload import ForcedPair, board_payload
from viz.text import texts

Open = Callable[..., Visitor]
SOURCE = "Me gusta estudiar."
TYPED = "I am very fond of books."
NO_PROOF = Proof(0.0, 0.0)


def type_own(page: Page, text: str) -> None:
    box = page.locator("#forced textarea")
    if not box.is_visible():
        open_pair(page)
    box.fill(text)
    box.press("Enter")


def say(key: str, **values: object) -> str:
    return texts("en")[key].format(**values)


def log_prob_shown(page: Page, name: str) -> tuple[str, float]:
    """(text, log-probability) of a row of the pair's table; the cell shows the number to four decimals."""
    row = page.locator(f"[data-pair='{name}']")
    exact = float(row.get_attribute("data-log-prob") or "nan")
    text, number = row.locator("td").all_inner_texts()
    assert float(number) == pytest.approx(exact, abs=0.00005001)
    return text, exact


def test_a_typed_translation_shows_its_own_attention_beside_the_model_s_choice(
    open_visitor: Open, translator: Translator
) -> None:
    visitor = open_visitor()
    page = visitor.page
    type_own(page, TYPED)
    expect(page.locator(".hl-typed-pair")).to_contain_text(say("pair.mark"))
    expect(page.locator("[data-result='text']")).to_have_text(TYPED)
    trace = translator.trace(SOURCE, "en", forced=TYPED)
    own = translator.translate(SOURCE, "en")
    text, total = log_prob_shown(page, "typed")
    assert text == TYPED
    assert total == pytest.approx(float(trace.log_probs.sum()), abs=1e-4)
    text, total = log_prob_shown(page, "own")
    assert text == own.text
    assert total == pytest.approx(sum(own.log_probs), abs=1e-4)
    for step, log_prob in enumerate(trace.log_probs):
        page.locator(f".hl-output[data-step='{step}']").hover()
        expect(page.locator(".hl-candidates .hl-taken .hl-number")).to_have_text(f"{np.exp(log_prob):.4f}")
    page.evaluate("headlight.select({ map: 'cross', layer: 1, head: 2, merge: 'head', view: 'table' })")
    cells = page.locator("#attention .hl-table:not(.hl-diagnostics-table) td")
    expect(cells).to_have_count(trace.cross[1, 2].size)
    shown = np.array([float(cell) for cell in cells.all_inner_texts()]).reshape(trace.cross[1, 2].shape)
    np.testing.assert_allclose(shown, trace.cross[1, 2], atol=0.00006)
    assert visitor.errors == []


def test_typing_the_model_s_own_choice_makes_both_equal(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    type_own(page, translator.translate(SOURCE, "en").text)
    expect(page.locator(".hl-pair-verdict")).to_have_text(say("pair.equal"))


def test_an_emptied_box_gives_the_model_s_own_choice_back(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    own = translator.translate(SOURCE, "en").text
    type_own(page, TYPED)
    expect(page.locator("[data-result='text']")).to_have_text(TYPED)
    type_own(page, "  ")
    expect(page.locator("[data-result='text']")).to_have_text(own)
    expect(page.locator(".hl-typed-pair")).to_be_hidden()
    expect(page.locator("#result .hl-chip-name").last).to_have_text(say("result.output"))


def test_another_sentence_keeps_the_box_and_an_example_empties_it(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    type_own(page, TYPED)
    expect(page.locator(".hl-typed-pair")).to_be_visible()
    page.locator("#sentence textarea, #sentence input").fill("Me gustan los libros.")
    page.locator("#translate").click()
    expect(page.locator("#result .hl-chip").nth(2)).to_contain_text("gust")
    expect(page.locator("[data-pair='own'] td").first).to_have_text(
        translator.translate("Me gustan los libros.", "en").text
    )
    expect(page.locator("[data-result='text']")).to_have_text(TYPED)
    page.locator("#examples").get_by_text("I like to study.").click()
    expect(page.locator("[data-result='text']")).to_have_text(translator.translate("I like to study.", "es").text)
    expect(page.locator("#forced textarea")).to_have_value("")
    expect(page.locator(".hl-typed-pair")).to_be_hidden()


def test_too_long_a_translation_is_cut_and_said_to_be(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    text = "I like books. " * 60
    type_own(page, text)
    count = len(translator.trace(SOURCE, "en", forced=text).output_tokens)
    expect(page.locator(".hl-typed-pair")).to_contain_text(say("pair.cut", count=count))
    expect(page.locator(".hl-pair-verdict")).to_have_text(say("pair.incomparable"))
    assert page.locator(".hl-output").count() == count
    expect(page.locator("#result")).not_to_contain_text(say("result.unfinished"))


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=\"document.title='run'\">", "${document.title='run'}", "x" * 300_000]
)
def test_whatever_is_typed_as_a_translation_stays_text(open_visitor: Open, text: str) -> None:
    visitor = open_visitor()
    type_own(visitor.page, text)
    expect(visitor.page.locator(".hl-typed-pair")).to_be_visible()
    assert visitor.page.title() == "Headlight"
    assert visitor.page.locator("#result img").count() == 0
    assert visitor.errors == visitor.foreign == []


def test_a_translation_of_nothing_gets_a_sentence_and_loses_nothing(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    page.locator("#sentence textarea, #sentence input").fill("  ")
    type_own(page, TYPED)
    expect(page.locator("#notice")).to_contain_text("Type a sentence")
    expect(page.locator("[data-result='text']")).to_have_text(translator.translate(SOURCE, "en").text)


def test_the_badge_shows_the_numbers_of_the_trace(open_visitor: Open, translator: Translator) -> None:
    page = open_visitor().page
    for forced in (None, TYPED):
        if forced is not None:
            type_own(page, forced)
            expect(page.locator(".hl-typed-pair")).to_be_visible()
        trace = translator.trace(SOURCE, "en", forced=forced)
        page.wait_for_function(
            "wanted => Math.abs(document.querySelector('[data-row-sum]').dataset.rowSum - wanted) < 1e-6 * wanted",
            arg=row_sum_error(trace),
        )
        replay = page.locator("[data-replay]")
        assert float(replay.get_attribute("data-replay") or "nan") == pytest.approx(
            translator.proof(trace).replay, abs=1e-6
        )
        for part in (page.locator("[data-row-sum]"), replay):
            expect(part).to_have_attribute("data-holds", "true")


@pytest.fixture
def plain_page(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """Shows a payload in a page of its own."""
    page = browser.new_page(locale="en-GB")

    def show(payload: str) -> Page:
        page.set_content(board_page(payload))
        page.wait_for_selector("#attention [data-drawn]:not([data-drawn='0'])")
        return page

    yield show
    page.close()


@pytest.mark.parametrize(
    ("proof", "rows", "replay"),
    [
        (Proof(1.26e-7, 0.0), ("proof.rows", "1.3E-7"), ("proof.replay", "0")),
        (Proof(1e-5, 1e-4), ("proof.rows", "1E-5"), ("proof.replay", "1E-4")),
        (Proof(0.25, 3e-6), ("proof.rows_wrong", "2.5E-1"), ("proof.replay", "3E-6")),
        (Proof(2e-7, 2.04e-3), ("proof.rows", "2E-7"), ("proof.replay_wrong", "2E-3")),
    ],
)
def test_a_number_above_its_tolerance_turns_the_badge_into_a_warning(
    plain_page: Callable[[str], Page], proof: Proof, rows: tuple[str, str], replay: tuple[str, str]
) -> None:
    page = plain_page(board_payload(random_trace(2, 2, 5, 4), proof))
    expect(page.locator("[data-row-sum]")).to_have_text(say(rows[0], value=rows[1], tolerance="1E-5"))
    expect(page.locator("[data-replay]")).to_have_text(say(replay[0], value=replay[1], tolerance="1E-4"))
    explanation = page.locator(".hl-proof-explanation")
    expect(explanation).to_be_hidden()
    page.locator(".hl-proof summary").focus()
    page.keyboard.press("Enter")
    expect(explanation).to_have_text(say("proof.explanation", rows="1E-5", replay="1E-4"))


@pytest.mark.parametrize(
    ("own", "finished", "key"),
    [
        (-0.3999, True, "pair.own_likelier"),
        (-0.4001, True, "pair.typed_likelier"),
        (-0.40004, True, "pair.equal"),
        (-0.1, False, "pair.incomparable"),
    ],
)
def test_words_say_which_is_likelier_as_the_numbers_do(
    plain_page: Callable[[str], Page], own: float, finished: bool, key: str
) -> None:
    """Four output tokens of -0.1 each: -0.4 in all."""
    trace = replace(random_trace(2, 2, 5, 4), forced=True)
    page = plain_page(board_payload(trace, NO_PROOF, forced=ForcedPair(trace.text, "other", own, finished)))
    assert log_prob_shown(page, "typed") == (trace.text, pytest.approx(-0.4, abs=1e-6))
    assert log_prob_shown(page, "own") == ("other", own)
    expect(page.locator(".hl-pair-verdict")).to_have_text(say(key))
