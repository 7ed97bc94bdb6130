"""Step by step: every number of a step is the trace's, and steps, heads and the other views follow one another."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from playwright.sync_api import Page, expect

from tests.browser.acts import let_two_frames_pass, open_pair, open_tab, type_sentence, wait_for_text
from tests.browser.conftest import Visitor
from transformer.trace import Trace
from transformer.translator import Translator

Open = Callable[..., Visitor]

SOURCE = "Me gusta estudiar."
STEPS = "#steps .hl-steps"
#: The sixteen bits that a weight has on its way to the page, and four decimals.
NEAR = 0.00006
#: Milliseconds that a step stays when they are played, and more than an animation frame lasts.
PACE, FRAME = 1400, 50


@pytest.fixture
def trace(translator: Translator) -> Trace:
    return translator.trace(SOURCE, "en")


@pytest.fixture
def page(open_visitor: Open) -> Iterator[Page]:
    visitor = open_visitor()
    open_tab(visitor.page, "steps")
    expect_step(visitor.page, 0)
    yield visitor.page
    assert visitor.errors == []


def expect_step(page: Page, step: int) -> None:
    expect(page.locator(STEPS)).to_have_attribute("data-step", str(step))


def press(page: Page, name: str) -> None:
    page.locator(f"[data-player='{name}']").click()


def selection(page: Page) -> dict[str, Any]:
    return page.evaluate("headlight.selection()")


_POINT_EVERYWHERE = """() => {
  const canvas = document.querySelector("#steps .hl-cells canvas");
  const readout = document.querySelector("#steps .hl-readout");
  const box = canvas.getBoundingClientRect();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = [];
  for (let row = 0; row < canvas.height; row++) for (let column = 0; column < canvas.width; column++) {
    const clientX = box.left + (column + 0.5) / canvas.width * box.width;
    const clientY = box.top + (row + 0.5) / canvas.height * box.height;
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
    seen.push([readout.querySelector(".hl-value").textContent, readout.textContent]);
  }
  return { shape: [canvas.height, canvas.width], seen, pixels: [...data] };
}"""


def expect_numbers(page: Page, trace: Trace, step: int) -> None:
    """Chips, candidates, and every cell as it is worded and coloured."""
    expect_step(page, step)
    chips = page.locator("#steps .hl-seen li").all_inner_texts()
    assert [chip.replace("_", "\u2581") for chip in chips] == list(trace.target_tokens[: step + 1])
    assert page.locator("#steps .hl-next").inner_text().replace("_", "\u2581") == trace.output_tokens[step]

    rows = page.locator("#steps .hl-candidate").all()
    probabilities = [float(row.locator(".hl-number").inner_text()) for row in rows]
    tokens = [row.locator(".hl-token").inner_text().replace("_", "\u2581") for row in rows]
    expected = [(token, np.exp(log_prob)) for token, log_prob in trace.top_k[step]]
    if trace.output_tokens[step] not in dict(expected):
        expected.append((trace.output_tokens[step], np.exp(trace.log_probs[step])))
    assert tokens == [token for token, _ in expected]
    np.testing.assert_allclose(probabilities, [probability for _, probability in expected], atol=NEAR)
    taken = page.locator("#steps .hl-taken")
    assert taken.count() == 1
    assert taken.locator(".hl-token").inner_text().replace("_", "\u2581") == trace.output_tokens[step]

    found = page.evaluate(_POINT_EVERYWHERE)
    layers, heads, _, sources = trace.cross.shape
    assert found["shape"] == [layers * heads, sources]
    weights = trace.cross[:, :, step, :].reshape(layers * heads, sources)
    numbers = np.array([float(value) for value, _ in found["seen"]]).reshape(found["shape"])
    np.testing.assert_allclose(numbers, weights, atol=NEAR)
    pixels = np.array(found["pixels"]).reshape(*found["shape"], 4)
    np.testing.assert_allclose(pixels, 255 * colormaps["viridis"](weights), atol=9)
    for row in range(layers * heads):
        name = f"Layer {row // heads + 1}, head {row % heads + 1}"
        assert found["seen"][row * sources][1].endswith(name)


def test_every_number_of_every_step_is_the_trace_s(page: Page, trace: Trace) -> None:
    for step in range(len(trace.output_tokens)):
        expect_numbers(page, trace, step)
        expect(page.locator("#steps .hl-place")).to_have_text(f"Step {step + 1} of {len(trace.output_tokens)}")
        page.locator("[data-player='next']").click(force=True)  # at the end it is told to be disabled, and does nothing
    expect_step(page, len(trace.output_tokens) - 1)
    expect(page.locator("[data-player='next']")).to_have_attribute("aria-disabled", "true")
    press(page, "back")
    expect_numbers(page, trace, len(trace.output_tokens) - 2)


def test_the_step_is_that_of_the_other_views(page: Page) -> None:
    page.locator("#result .hl-output[data-step='3']").click()
    expect_step(page, 3)
    press(page, "next")
    expect_step(page, 4)
    assert selection(page)["step"] == 4
    expect(page.locator("#result .hl-output[data-step='4']")).to_have_attribute("aria-pressed", "true")
    open_tab(page, "attention")
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-step", "4")


def test_a_cell_takes_its_head_to_the_other_views_by_mouse_and_by_keys(page: Page, trace: Trace) -> None:
    page.evaluate("headlight.select({ map: 'encoder_self', merge: 'all_mean' })")
    expect(page.locator("#steps .hl-step-band")).to_be_hidden()
    canvas = page.locator("#steps .hl-cells canvas")
    box = canvas.bounding_box()
    assert box
    layers, heads = trace.cross.shape[:2]
    canvas.click(position={"x": 5, "y": box["height"] * (heads + 1.5) / (layers * heads)})
    page.wait_for_function("headlight.selection().head === 1")
    found = selection(page)
    assert {name: found[name] for name in ("map", "merge", "layer", "head")} == {
        "map": "cross",
        "merge": "head",
        "layer": 1,
        "head": 1,
    }
    expect(page.locator("#steps .hl-row-labels .hl-at-step")).to_have_text("2 · 2")
    canvas.press("ArrowDown")
    canvas.press("Enter")
    expect(page.locator("#steps .hl-row-labels .hl-at-step")).to_have_text("2 · 3")
    open_tab(page, "attention")
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-head", "2")


def test_keys_move_the_slider_and_it_says_what_was_written(page: Page, trace: Trace) -> None:
    slider = page.locator("#steps input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect_step(page, 2)
    wrote = trace.output_tokens[2].replace("\u2581", "")
    expect(slider).to_have_attribute("aria-valuetext", f"Step 3 of {len(trace.output_tokens)}: {wrote}")
    slider.press("End")
    expect_step(page, len(trace.output_tokens) - 1)
    slider.press("Home")
    expect_step(page, 0)


def stop_time(page: Page) -> None:
    """From here on, time goes on only as the test says: nothing depends on how fast the machine is."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


def let_pass(page: Page, milliseconds: int) -> None:
    page.clock.run_for(milliseconds)


def test_play_goes_on_to_the_last_step_and_begins_anew_there(page: Page, trace: Trace) -> None:
    last = len(trace.output_tokens) - 1
    page.evaluate("step => headlight.select({ step })", last - 2)
    expect_step(page, last - 2)
    stop_time(page)
    play = page.locator("[data-player='play']")
    play.click()
    expect(play).to_have_text("Pause")
    let_pass(page, PACE + FRAME)
    expect_step(page, last - 1)
    expect(play).to_have_text("Pause")
    let_pass(page, PACE)
    expect_step(page, last)
    expect(play).to_have_text("Play")
    let_pass(page, PACE)
    spoken = f"Step {last + 1} of {last + 1}: {trace.output_tokens[last]}"
    expect(page.locator("#steps .hl-player .hl-unseen")).to_have_text(spoken)
    expect_step(page, last)
    play.click()
    let_pass(page, FRAME)
    expect_step(page, 0)
    expect(play).to_have_text("Pause")
    press(page, "next")  # whoever takes a step has paused
    let_pass(page, FRAME)
    expect_step(page, 1)
    expect(play).to_have_text("Play")
    let_pass(page, 2 * PACE)
    expect_step(page, 1)


def test_another_sentence_ends_playing_and_begins_at_its_first_step(page: Page, translator: Translator) -> None:
    stop_time(page)
    press(page, "play")
    let_pass(page, PACE + FRAME)
    expect_step(page, 1)
    page.clock.resume()
    other = translator.trace("¿Dónde está la biblioteca?", "en")
    type_sentence(page, "¿Dónde está la biblioteca?")
    wait_for_text(page, other.text)
    expect(page.locator("#steps .hl-place")).to_have_text(f"Step 1 of {len(other.output_tokens)}")
    expect(page.locator("[data-player='play']")).to_have_text("Play")
    expect_numbers(page, other, 0)


def test_what_has_changed_behind_a_presentation_is_shown_after_it(page: Page) -> None:
    page.keyboard.press("p")
    slide = page.locator("main.hl-slide")
    expect(slide).to_be_visible()
    page.evaluate("headlight.select({ map: 'cross', layer: 0, head: 1, step: 2 })")
    expect(slide).to_have_attribute("data-head", "1")
    let_two_frames_pass(page)
    page.keyboard.press("Escape")
    expect_step(page, 2)
    expect(page.locator("#steps .hl-row-labels .hl-at-step")).to_have_text("1 · 2")
    open_tab(page, "attention")
    expect(page.locator("#attention [data-drawn]")).to_have_attribute("data-head", "1")


def test_a_window_of_another_height_gets_cells_that_fit(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.wait_for_function("document.querySelector('#steps .hl-cells').clientHeight < 320")


def test_what_was_typed_is_marked_so_wherever_it_ranks(page: Page, translator: Translator) -> None:
    pairs = {first: translator.trace(SOURCE, "en", forced=f"{first} sleep.") for first in ("Books", "You", "Never")}
    unlikely = [first for first, pair in pairs.items() if pair.output_tokens[0] not in dict(pair.top_k[0])]
    forced, typed = pairs[unlikely[0]], f"{unlikely[0]} sleep."
    open_pair(page)
    page.locator("#forced textarea").fill(typed)
    page.locator("#translate").click()
    wait_for_text(page, typed)
    expect(page.locator("#steps .hl-mark")).to_have_text("typed")
    expect(page.locator("#steps .hl-candidate")).to_have_count(len(forced.top_k[0]) + 1)
    expect_numbers(page, forced, 0)


def test_a_link_opens_the_tab_at_its_step(open_visitor: Open, app_url: str) -> None:
    visitor = open_visitor(f"{app_url}/#text=Tengo+un+perro.&tab=steps&step=3", "#steps [data-step]", locale="es-ES")
    expect_step(visitor.page, 2)
    expect(visitor.page.locator("#steps .hl-place")).to_have_text(re.compile("Paso 3 de"))
    assert visitor.errors == []
