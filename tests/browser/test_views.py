"""Numbers followed from the trace to the screen, in every view: what stands there is what NumPy makes of them."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from matplotlib import colormaps
from playwright.sync_api import Browser, Page, expect

from tests.browser.plain import board_page, random_trace
from transformer.diagnostics import diagnose
from transformer.proof import Proof
from transformer.trace import KINDS, Alignment, AlignmentHead, Kind, Trace
from transformer.translator import Translator
from transformer.words import word_groups
from viz.board.payload import SCALE, board_payload, in_steps

MERGES = ("head", "layer_mean", "layer_max", "all_mean", "all_max", "rollout")
LAYER, HEAD = 1, 2
#: What is written with four decimals is this near.
ROUNDED = 0.00006
BLANK_GREY = [196, 196, 200, 255]


class Shown(NamedTuple):
    """What a picture must show. Q rows, K columns."""

    weights: np.ndarray  # (Q, K); NaN where the mask forbids
    hidden: np.ndarray | None  # (Q) share of each row on hidden special tokens
    blank: np.ndarray  # (Q) rows that are not shown


def sent(trace: Trace, kind: Kind) -> np.ndarray:
    """(L, H, Q, K) with the sixteen bits that a weight has on its way to the page."""
    return in_steps(trace.weights(kind)) / SCALE


def groups_of(
    trace: Trace, tokens: Sequence[str], units: str, surfaces: Sequence[str] | None = None
) -> list[list[int]]:
    if units == "pieces":
        return [[place] for place in range(len(tokens))]
    written = ["" if token in trace.special_tokens else token for token in tokens]
    return word_groups(surfaces or written)


def sides(
    trace: Trace, kind: Kind, units: str
) -> tuple[list[list[int]], list[list[int]], Sequence[str], Sequence[str]]:
    """Groups of rows and of columns, the tokens that decide whether a row is special, and the columns' tokens."""
    source = groups_of(trace, trace.source_tokens, units, trace.source_surfaces)
    if kind == "encoder_self":
        return source, source, trace.source_tokens, trace.source_tokens
    if kind == "cross":
        return groups_of(trace, trace.output_tokens, units), source, trace.output_tokens, trace.source_tokens
    went_in = groups_of(trace, trace.target_tokens, units)
    return went_in, went_in, trace.output_tokens, trace.target_tokens


def membership(groups: list[list[int]], count: int) -> np.ndarray:
    """(groups, count): 1 where a token belongs to a group."""
    return np.array([[float(place in group) for place in range(count)] for group in groups])


def rollouts(trace: Trace, layer: int) -> dict[Kind, np.ndarray]:
    """All three, up to a layer of their own stack; the decoder's two see the whole encoder."""

    def through_encoder(last: int) -> np.ndarray:
        mixes = [(np.eye(mean.shape[0]) + mean) / 2 for mean in sent(trace, "encoder_self").mean(1)[: last + 1]]
        return np.linalg.multi_dot([*mixes[::-1], np.eye(len(mixes[0]))])

    memory = through_encoder(len(trace.encoder_self) - 1)
    both = np.hstack([np.eye(len(trace.target_tokens)), np.zeros((len(trace.target_tokens), len(memory)))])
    for self_mean, cross_mean in zip(
        sent(trace, "decoder_self").mean(1)[: layer + 1], sent(trace, "cross").mean(1)[: layer + 1], strict=True
    ):
        both = (both + self_mean @ both) / 2
        both = (both + np.hstack([np.zeros_like(self_mean), cross_mean @ memory])) / 2
    written, source = np.hsplit(both, [len(trace.target_tokens)])
    return {"encoder_self": through_encoder(layer), "decoder_self": written, "cross": source}


def must_show(
    trace: Trace, kind: Kind, merge: str = "head", units: str = "pieces", special: str = "shown", head: int = HEAD
) -> Shown:
    rows, columns, row_tokens, column_tokens = sides(trace, kind, units)
    mask = trace.mask(kind)
    mean_rows = membership(rows, len(mask)) / np.array([[len(group)] for group in rows])
    add_columns = membership(columns, mask.shape[1]).T
    scope: dict[str, Any] = {
        "head": np.s_[LAYER : LAYER + 1, head : head + 1],
        "all": np.s_[:],
        "layer": np.s_[LAYER : LAYER + 1],
    }
    if merge == "rollout":
        weights = mean_rows @ rollouts(trace, LAYER)[kind] @ add_columns
    else:
        each = mean_rows @ sent(trace, kind)[scope[merge.split("_")[0]]] @ add_columns
        weights = each.max((0, 1)) if merge.endswith("max") else each.mean((0, 1))
    allowed = mean_rows @ mask @ add_columns > 0
    hidden, blank = None, np.zeros(len(weights), dtype=bool)
    if special == "hidden":
        text_rows = [any(row_tokens[i] not in trace.special_tokens for i in group) for group in rows]
        text = [any(column_tokens[i] not in trace.special_tokens for i in group) for group in columns]
        whole, weights, allowed = weights[text_rows], weights[text_rows][:, text], allowed[text_rows][:, text]
        blank = np.zeros(len(weights), dtype=bool)
        if not merge.endswith("max"):
            left = weights.sum(1) / whole.sum(1)
            hidden, blank = 1 - left, left < 0.01
            weights = weights / np.where(blank, 1, left)[:, None]
    return Shown(np.where(allowed, weights, np.nan), hidden, blank)


# What is on the screen ------------------------------------------------------------------------------------------------


def choose(page: Page, **what: str) -> None:
    """By the controls, as a visitor does."""
    for name, value in what.items():
        if name == "merge":
            page.locator("[data-merge-choice]").select_option(value)
        else:
            page.locator(f"[data-{name}-button='{value}']").click()
        expect(board(page)).to_have_attribute(f"data-{name}", value)


def board(page: Page) -> Any:
    return page.locator("#attention [data-drawn]")


def take_head(page: Page, layer: int, head: int) -> None:
    page.locator(f".hl-thumb[data-layer='{layer}'][data-head='{head}']").click()
    expect(board(page)).to_have_attribute("data-head", str(head))
    expect(board(page)).to_have_attribute("data-layer", str(layer))


_POINT_EVERYWHERE = """() => {
  const canvas = document.querySelector(".hl-head canvas");
  const readout = document.querySelector(".hl-head .hl-readout");
  const box = canvas.getBoundingClientRect();
  const seen = [];
  for (let row = 0; row < canvas.height; row++) for (let column = 0; column < canvas.width; column++) {
    const clientX = box.left + (column + 0.5) / canvas.width * box.width;
    const clientY = box.top + (row + 0.5) / canvas.height * box.height;
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
    seen.push({ value: readout.querySelector(".hl-value").textContent, where: readout.textContent });
  }
  return { shape: [canvas.height, canvas.width], seen };
}"""


def read_heatmap(page: Page) -> tuple[np.ndarray, list[str]]:
    """The number of every cell as the readout words it, NaN where it says that there is none; and all it says."""
    found = page.evaluate(_POINT_EVERYWHERE)
    values = [cell["value"] for cell in found["seen"]]
    return numbers(values).reshape(found["shape"]), [cell["where"] for cell in found["seen"]]


def numbers(texts: Sequence[str]) -> np.ndarray:
    assert all(re.fullmatch(r"\d\.\d{4}|forbidden.*|blank", text) for text in texts), texts
    return np.array([float(text) if text[0].isdigit() else np.nan for text in texts])


def read_table(page: Page) -> tuple[list[list[str]], list[str]]:
    """Texts of the cells, without those of the hidden share, which come by themselves."""
    rows = page.evaluate(
        "() => [...document.querySelectorAll('.hl-head tbody tr')].map((row) =>"
        " [...row.querySelectorAll('td')].map((cell) => [cell.className, cell.textContent]))"
    )
    cells = [[text for name, text in row if name != "hl-table-hidden"] for row in rows]
    return cells, [text for row in rows for name, text in row if name == "hl-table-hidden"]


def pixels(page: Page, selector: str) -> np.ndarray:
    """(rows, columns, 4): a canvas has one pixel a cell."""
    width, height, data = page.evaluate(
        "(selector) => { const canvas = document.querySelector(selector); const { width, height } = canvas;"
        " return [width, height, [...canvas.getContext('2d').getImageData(0, 0, width, height).data]]; }",
        selector,
    )
    return np.array(data).reshape(height, width, 4)


_IN_THE_MIDDLE_OF_CELLS = """([layer, head, rows, columns]) => {
  const sheet = document.querySelector(".hl-sheet");
  const corner = sheet.getBoundingClientRect();
  const thumb = document.querySelector(`.hl-thumb[data-layer="${layer}"][data-head="${head}"]`).getBoundingClientRect();
  const { width, height, data } = sheet.getContext("2d").getImageData(0, 0, sheet.width, sheet.height);
  const found = [];
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) {
    const x = Math.floor((thumb.left - corner.left + (column + 0.5) / columns * thumb.width) * devicePixelRatio);
    const y = Math.floor((thumb.top - corner.top + (row + 0.5) / rows * thumb.height) * devicePixelRatio);
    found.push([...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]);
  }
  return found;
}"""


def thumbnail(page: Page, layer: int, head: int, shape: tuple[int, int]) -> np.ndarray:
    """(rows, columns, 4): what lies over the thumbnail, in the middle of each cell."""
    return np.array(page.evaluate(_IN_THE_MIDDLE_OF_CELLS, [layer, head, *shape])).reshape(*shape, 4)


def assert_colors(found: np.ndarray, shown: Shown, scale: float) -> None:
    """Viridis of weight / scale, forbidden cells transparent, blank rows grey."""
    colors = 255 * np.array(colormaps["viridis"](np.nan_to_num(shown.weights) / scale))
    forbidden = np.isnan(shown.weights)
    assert (found[forbidden][:, 3] == 0).all()
    plain = ~forbidden & ~shown.blank[:, None]
    np.testing.assert_allclose(found[plain], colors[plain], atol=9)
    grey = ~forbidden & shown.blank[:, None]
    assert (found[grey] == BLANK_GREY).all()


def without_blank(shown: Shown) -> np.ndarray:
    """(Q, K) the numbers that stand on the screen; NaN where there is none."""
    return np.where(shown.blank[:, None], np.nan, shown.weights)


# Traces and pages -----------------------------------------------------------------------------------------------------


def made_up(blank_rows: bool = True) -> Trace:
    """Three layers, four heads, words of two pieces; in head (1, 2) some rows lie on special tokens alone."""
    trace = random_trace(3, 4, 10, 9)
    if blank_rows:
        trace.cross[LAYER, HEAD, 3] = np.eye(10)[0]
        trace.encoder_self[LAYER, HEAD, 2] = 0.996 * np.eye(10)[9] + 0.004 * np.eye(10)[5]
        trace.encoder_self[LAYER, HEAD, 4] = 0.98 * np.eye(10)[9] + 0.02 * np.eye(10)[5]
    return trace


OpenTrace = Callable[..., Page]


@pytest.fixture
def open_trace(browser: Browser) -> Iterator[OpenTrace]:
    """A page with the board alone; a JavaScript error fails the test."""
    pages: list[Page] = []
    errors: list[str] = []

    def open_one(trace: Trace, alignment: Alignment | None = None, **options: Any) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-GB", **options})
        page.on("pageerror", lambda error: errors.append(str(error)))
        pages.append(page)
        page.set_content(board_page(board_payload(trace, Proof(0.0, 0.0), alignment)))
        expect(board(page)).to_have_attribute("data-drawn", re.compile("[1-9]"))
        return page

    yield open_one
    for page in pages:
        page.close()
    assert errors == []


# Tests ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_readout_follows_every_merge_words_and_hidden_specials(open_trace: OpenTrace, kind: Kind) -> None:
    trace = made_up()
    page = open_trace(trace)
    choose(page, map=kind)
    take_head(page, LAYER, HEAD)
    for merge, units, special in itertools.product(MERGES, ("pieces", "words"), ("shown", "hidden")):
        choose(page, merge=merge, units=units, special=special)
        shown = must_show(trace, kind, merge, units, special)
        found, said = read_heatmap(page)
        np.testing.assert_allclose(found, without_blank(shown), atol=ROUNDED, err_msg=f"{merge} {units} {special}")
        assert_colors(pixels(page, ".hl-head canvas"), shown, 1)
        name = {"head": "Layer 2, head 3", "layer": "Layer 2,", "all": "all 12 heads", "rollout": "up to layer 2"}
        part = name[merge.split("_")[0]]
        assert all(part in sentence for sentence in said)
        expect(page.locator(".hl-head .hl-head-title")).to_contain_text(part)
        assert (merge == "head") == any("head 3" in sentence for sentence in said)
        if shown.hidden is None:
            expect(page.locator(".hl-head .hl-note-labels").first).to_be_hidden()
        else:
            shares = [f"{100 * share:.1f}%" for share in shown.hidden]
            assert page.locator(".hl-note-labels > *").all_text_contents() == shares
            width = shown.weights.shape[1]
            assert all(shares[cell // width] in sentence for cell, sentence in enumerate(said))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("units", "special"), [("pieces", "hidden"), ("words", "shown"), ("words", "hidden")])
def test_a_real_translation_in_words_without_specials(
    open_trace: OpenTrace, translator: Translator, kind: Kind, units: str, special: str
) -> None:
    trace = translator.trace("El bibliotecario desordenado no llegó.", "en")
    page = open_trace(trace, translator.alignment)
    choose(page, map=kind, units=units, special=special)
    take_head(page, LAYER, HEAD)
    shown = must_show(trace, kind, "head", units, special)
    np.testing.assert_allclose(read_heatmap(page)[0], without_blank(shown), atol=ROUNDED)


def test_rows_of_rollouts_on_the_screen_add_up(open_trace: OpenTrace, translator: Translator) -> None:
    """The encoder's to 1; the decoder's share on what was written and its share on the source to 1 together."""
    trace = translator.trace("No sé por qué Tom llegó tarde.", "en")
    page = open_trace(trace)
    take_head(page, LAYER, HEAD)
    choose(page, merge="rollout", view="table")
    sums = {}
    for kind in KINDS:
        choose(page, map=kind)
        expect(page.locator(".hl-head caption")).to_contain_text("Rollout up to layer 2")
        sums[kind] = np.nansum([numbers(row) for row in read_table(page)[0]], axis=1)
    rounding = 0.00005 * len(trace.source_tokens + trace.target_tokens)
    np.testing.assert_allclose(sums["encoder_self"], 1, atol=rounding)
    np.testing.assert_allclose(sums["decoder_self"] + sums["cross"], 1, atol=rounding)
    assert (sums["cross"] > 0.5).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_holds_numbers_forbidden_cells_and_hidden_shares(open_trace: OpenTrace, kind: Kind) -> None:
    trace = made_up()
    page = open_trace(trace)
    choose(page, map=kind)
    take_head(page, LAYER, HEAD)
    assert page.locator(".hl-head table").count() == 0
    choose(page, view="table")
    for units, special in itertools.product(("pieces", "words"), ("shown", "hidden")):
        choose(page, units=units, special=special)
        shown = must_show(trace, kind, "head", units, special)
        cells, hidden = read_table(page)
        np.testing.assert_allclose([numbers(row) for row in cells], without_blank(shown), atol=ROUNDED)
        for row, column in itertools.product(*map(range, shown.weights.shape)):
            assert (cells[row][column] == "forbidden") == np.isnan(shown.weights[row, column])
            blank = bool(shown.blank[row]) and not np.isnan(shown.weights[row, column])
            assert (cells[row][column] == "blank") == blank
        assert hidden == ([] if shown.hidden is None else [f"{100 * share:.1f}%" for share in shown.hidden])
        columns = page.locator(".hl-head thead th[scope='col']").count()
        assert columns == len(cells[0]) + (1 if kind == "encoder_self" else 2) + (special == "hidden")
        assert page.locator(".hl-head tbody th[scope='row']").count() == len(cells) * (
            1 if kind == "encoder_self" else 2
        )


def test_a_stretched_scale_ends_at_the_picture_s_maximum_and_says_so(open_trace: OpenTrace) -> None:
    trace = made_up()
    page = open_trace(trace)
    take_head(page, LAYER, HEAD)
    choose(page, merge="all_mean", scale="stretched")
    shown = must_show(trace, "cross", "all_mean")
    largest = shown.weights.max()
    assert largest < 0.5
    assert_colors(pixels(page, ".hl-head canvas"), shown, largest)
    assert page.locator(".hl-legend-scale > *").all_text_contents() == ["0", f"{largest / 2:.4f}", f"{largest:.4f}"]
    expect(page.locator(".hl-legend-stretched")).to_contain_text(f"{largest:.4f}")
    np.testing.assert_allclose(read_heatmap(page)[0], shown.weights, atol=ROUNDED)
    choose(page, scale="fixed")
    assert_colors(pixels(page, ".hl-head canvas"), shown, 1)
    assert page.locator(".hl-legend-scale > *").all_text_contents() == ["0", "0.5", "1"]


@pytest.mark.parametrize("kind", KINDS)
def test_thumbnails_follow_words_specials_and_scale(open_trace: OpenTrace, kind: Kind) -> None:
    trace = made_up()
    page = open_trace(trace)
    choose(page, map=kind)
    take_head(page, LAYER, HEAD)
    for units, special, scale in itertools.product(("pieces", "words"), ("shown", "hidden"), ("fixed", "stretched")):
        choose(page, units=units, special=special, scale=scale)
        for head in range(4):
            shown = must_show(trace, kind, "head", units, special, head)
            drawn = thumbnail(page, LAYER, head, shown.weights.shape)
            assert_colors(drawn, shown, 1 if scale == "fixed" else np.nanmax(shown.weights))


@pytest.mark.parametrize(("width", "ratio"), [(1280, 1), (390, 3), (1100, 1.25)])
def test_thumbnails_lie_in_their_places_in_every_window(open_trace: OpenTrace, width: int, ratio: float) -> None:
    trace = made_up()
    page = open_trace(trace, viewport={"width": width, "height": 700}, device_scale_factor=ratio)
    for window in (width, 777, width):
        page.set_viewport_size({"width": window, "height": 700})
        page.wait_for_function(_SHEET_FITS)
        for layer, head in itertools.product(range(3), range(4)):
            weights = trace.cross[layer, head]
            nothing = Shown(weights, None, np.zeros(len(weights), dtype=bool))
            assert_colors(thumbnail(page, layer, head, weights.shape), nothing, 1)


#: The sheet ends where its last thumbnail does.
_SHEET_FITS = """() => {
  const sheet = document.querySelector(".hl-sheet").getBoundingClientRect();
  const last = [...document.querySelectorAll(".hl-thumb")].at(-1).getBoundingClientRect();
  return Math.abs(sheet.right - last.right) < 1.01 && Math.abs(sheet.bottom - last.bottom) < 1.01;
}"""


def test_a_thumbnail_with_fewer_pixels_than_cells_shows_the_largest_weight_of_each_pixel(open_trace: OpenTrace) -> None:
    count = 100
    trace = random_trace(2, 8, count, count)
    page = open_trace(trace)
    head = page.locator(".hl-thumb[data-layer='1'][data-head='3']").bounding_box()
    corner = page.locator(".hl-sheet").bounding_box()
    assert head
    assert corner
    left, top = int(head["x"] - corner["x"]), int(head["y"] - corner["y"])
    width = int(np.ceil(head["x"] - corner["x"] + head["width"])) - left
    height = int(np.ceil(head["y"] - corner["y"] + head["height"])) - top
    assert width < count
    assert height < count
    largest = np.zeros((height, width), dtype=np.float32)
    rows, columns = np.arange(count) * height // count, np.arange(count) * width // count
    np.maximum.at(largest, (rows[:, None], columns), trace.cross[1, 3])
    drawn = pixels(page, ".hl-sheet")[top : top + height, left : left + width]
    assert_colors(drawn, Shown(largest, None, np.zeros(height, dtype=bool)), 1)


def test_a_thumbnail_leaves_a_merged_picture_and_a_layer_s_name_does_not(open_trace: OpenTrace) -> None:
    page = open_trace(made_up())
    choose(page, merge="layer_mean")
    page.locator("[data-layer-button='0']").click()
    expect(board(page)).to_have_attribute("data-layer", "0")
    expect(board(page)).to_have_attribute("data-merge", "layer_mean")
    merged = page.locator(".hl-thumb.hl-merged")
    assert {thumb.get_attribute("data-layer") for thumb in merged.all()} == {"0"}
    assert merged.count() == 4
    page.locator(".hl-thumb[data-layer='2'][data-head='1']").click()
    for name, value in (("merge", "head"), ("layer", "2"), ("head", "1")):
        expect(board(page)).to_have_attribute(f"data-{name}", value)
    expect(page.locator("[data-merge-choice]")).to_have_value("head")
    assert merged.count() == 0
    page.locator(".hl-thumb[data-layer='2'][data-head='0']").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-layer-button='1']")).to_be_focused()


def numbers_beside(page: Page, side: str) -> list[list[str]]:
    """The numbers beside each token of a side."""
    return page.evaluate(
        "(side) => [...document.querySelectorAll(`[data-side='${side}']`)].map((token) =>"
        " [...token.nextElementSibling.children].map((number) => number.textContent))",
        side,
    )


def numbers_of_heads(texts: Sequence[str], heads: Sequence[int]) -> np.ndarray:
    """Numbers that each name their head: "3: 0.2978"."""
    names, values = zip(*(text.split(": ") for text in texts), strict=True)
    assert list(names) == [str(head + 1) for head in heads]
    return numbers(values)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_s_lines_show_their_numbers_for_several_heads(open_trace: OpenTrace, kind: Kind) -> None:
    trace = made_up()
    page = open_trace(trace)
    choose(page, map=kind)
    take_head(page, LAYER, HEAD)
    choose(page, view="lines", units="words", special="hidden")
    for head in (0, 3):
        page.locator(f"[data-strand='{head}']").click()
        expect(page.locator(f"[data-strand='{head}']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".hl-head .hl-head-title")).to_contain_text("Layer 2, heads 1, 3, 4")
    heads = (HEAD, 0, 3)
    expected = np.stack([without_blank(must_show(trace, kind, "head", "words", "hidden", head)) for head in heads], -1)
    forbidden = np.isnan(must_show(trace, kind, "head", "words", "hidden").weights)
    for row in range(len(forbidden)):
        page.locator(f"[data-side='row'][data-place='{row}']").focus()
        found = numbers_beside(page, "column")
        for column, texts in enumerate(found):
            if forbidden[row, column]:
                assert texts == ["forbidden"]
            else:
                np.testing.assert_allclose(numbers_of_heads(texts, heads), expected[row, column], atol=ROUNDED)
    for column in range(forbidden.shape[1]):
        page.locator(f"[data-side='column'][data-place='{column}']").hover()
        for row, texts in enumerate(numbers_beside(page, "row")):
            if not forbidden[row, column]:
                np.testing.assert_allclose(numbers_of_heads(texts, heads), expected[row, column], atol=ROUNDED)


def test_lines_of_one_token_begin_there_and_none_is_forbidden(open_trace: OpenTrace) -> None:
    """Pixels at both edges of the canvas: ink at the token's height, and only where it may look."""
    trace = random_trace(3, 4, 10, 9)
    page = open_trace(trace)
    choose(page, map="decoder_self", view="lines", scale="stretched")
    token = page.locator("[data-side='row'][data-place='4']")
    token.focus()
    # Numbers shorten the lines at the right: without them the edge is where the lines end.
    page.add_style_tag(content=".hl-strand-numbers { width: 0; }")
    token.blur()
    token.focus()
    ink = pixels(page, ".hl-strand-canvas canvas")[:, :, 3]
    pitch = ink.shape[0] / len(trace.target_tokens)
    left, right = (set(np.flatnonzero(ink[:, edge]) // pitch) for edge in (1, -2))
    assert left == {4}
    assert right <= {0, 1, 2, 3, 4}
    assert right
    token.blur()
    whole = pixels(page, ".hl-strand-canvas canvas")[:, :, 3]
    assert set(np.flatnonzero(whole[:, 1]) // pitch) >= {0, 4, 8}


def test_lines_too_many_to_draw_are_said_to_be_left_out(open_trace: OpenTrace) -> None:
    trace = random_trace(1, 4, 60, 60)
    page = open_trace(trace)
    take_head(page, 0, 0)
    choose(page, view="lines")
    expect(page.locator(".hl-least")).to_contain_text("0.0100")
    page.locator("[data-lines='all']").click()
    expect(board(page)).to_have_attribute("data-lines", "0,1,2,3")
    weights = np.sort(sent(trace, "cross")[0].ravel())
    least = weights[weights >= 0.01][-1000:][0]
    assert least > 0.0101
    expect(page.locator(".hl-least")).to_contain_text(f"{least:.4f}")


def test_heads_of_the_lines_are_toggled_and_one_always_stays(open_trace: OpenTrace) -> None:
    page = open_trace(made_up())
    take_head(page, LAYER, HEAD)
    choose(page, view="lines")

    def pressed() -> list[str | None]:
        return [node.get_attribute("data-strand") for node in page.locator("[data-strand][aria-pressed='true']").all()]

    page.locator("[data-strand='2']").click()
    assert pressed() == ["2"]
    page.locator("[data-strand='1']").click()
    expect(page.locator("[data-strand='1']")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-strand='2']").click()
    expect(board(page)).to_have_attribute("data-head", "1")
    assert pressed() == ["1"]
    choose(page, merge="layer_mean")
    expect(page.locator(".hl-strand-heads")).to_be_hidden()


@pytest.mark.parametrize(
    ("view", "marked"), [("heatmap", ".hl-row-labels"), ("lines", ".hl-strand-side"), ("table", "tbody")]
)
def test_the_chosen_step_is_marked_in_every_view(open_trace: OpenTrace, view: str, marked: str) -> None:
    trace = made_up()
    page = open_trace(trace)
    choose(page, view=view, units="words")
    page.locator("#result [data-step='3']").click()
    row = next(i for i, steps in enumerate(groups_of(trace, trace.output_tokens, "words")) if 3 in steps)
    found = f"[...document.querySelector('.hl-head {marked}').children].map((node) => node.matches('.hl-at-step'))"
    page.wait_for_function(f"() => {found}.includes(true)")
    assert [i for i, is_marked in enumerate(page.evaluate(found)) if is_marked] == [row]


def test_heads_in_numbers_are_those_of_the_trace_and_sort(open_trace: OpenTrace) -> None:
    trace = made_up(blank_rows=False)
    accuracy = tuple(tuple(0.07 * (layer + 1) + 0.2 * head for head in range(4)) for layer in range(3))
    alignment = Alignment(AlignmentHead(2, 3, accuracy[2][3], trained=False), accuracy)
    page = open_trace(trace, alignment)
    page.locator(".hl-diagnostics summary").click()
    rows = page.locator(".hl-diagnostics tbody tr")
    measured = diagnose(trace, accuracy)
    for kind in KINDS:
        choose(page, map=kind)
        names = [name for name in vars(measured[kind]) if getattr(measured[kind], name) is not None]
        expect(rows).to_have_count(12)
        shown = [node.get_attribute("data-sort") for node in page.locator(".hl-diagnostics thead th").all()]
        assert shown == ["head", *names]
        cells = numbers(page.locator(".hl-diagnostics tbody td").all_text_contents()).reshape(3, 4, len(names))
        expected = np.stack([getattr(measured[kind], name) for name in names], -1)
        np.testing.assert_allclose(cells, expected, atol=ROUNDED)
        assert page.locator(".hl-meanings dd").count() == len(names)
    for measure, descending in (("entropy", True), ("entropy", False), ("alignment", True)):
        choose(page, map="cross")
        header = page.locator(f".hl-diagnostics th[data-sort='{measure}']")
        header.locator("button").click()
        expect(header).to_have_attribute("aria-sort", "descending" if descending else "ascending")
        order = np.argsort(getattr(measured["cross"], measure).ravel())
        places = [f"{i // 4}.{i % 4}" for i in (order[::-1] if descending else order)]
        assert [row.get_attribute("data-head") for row in rows.all()] == places
    choose(page, merge="all_mean")
    rows.nth(5).click()
    layer, head = (rows.nth(5).get_attribute("data-head") or "").split(".")
    for name, value in (("merge", "head"), ("layer", layer), ("head", head)):
        expect(board(page)).to_have_attribute(f"data-{name}", value)
    expect(rows.nth(5)).to_have_attribute("aria-current", "true")
    choose(page, map="encoder_self")
    page.get_by_role("button", name="Take me to the alignment head").click()
    for name, value in (("map", "cross"), ("layer", "2"), ("head", "3")):
        expect(board(page)).to_have_attribute(f"data-{name}", value)


def test_heads_are_in_their_order_where_the_map_has_not_the_number_they_are_sorted_by(open_trace: OpenTrace) -> None:
    alignment = Alignment(AlignmentHead(0, 0, 0.9, trained=False), ((0.9,) * 4,) * 3)
    page = open_trace(made_up(), alignment)
    page.locator(".hl-diagnostics summary").click()
    page.locator(".hl-diagnostics th[data-sort='alignment'] button").click()
    choose(page, map="encoder_self")
    shown = [row.get_attribute("data-head") for row in page.locator(".hl-diagnostics tbody tr").all()]
    assert shown == [f"{i // 4}.{i % 4}" for i in range(12)]


@pytest.mark.parametrize("view", ["heatmap", "lines", "table"])
@pytest.mark.parametrize("kind", ["decoder_self", "cross"])
def test_where_special_tokens_are_all_there_is_nothing_is_drawn_and_the_page_says_so(
    open_trace: OpenTrace, kind: Kind, view: str
) -> None:
    page = open_trace(random_trace(2, 3, 4, 1))  # the model writes </s> at once
    choose(page, map=kind, view=view, special="hidden")  # and no error, which the fixture would tell
    expect(page.locator(".hl-head-note")).to_contain_text("only special tokens")
    take_head(page, 1, 2)  # the heads can still be pointed at
    choose(page, special="shown")
    expect(page.locator(".hl-head-note")).not_to_contain_text("only special tokens")


def test_a_window_of_another_height_gets_a_picture_that_fits(open_trace: OpenTrace) -> None:
    page = open_trace(random_trace(2, 3, 9, 9))
    page.set_viewport_size({"width": 1280, "height": 560})
    scroller = page.locator(".hl-heatmap .hl-scroll")
    page.wait_for_function("document.querySelector('.hl-heatmap .hl-cells').clientHeight < 450")
    assert scroller.evaluate("(node) => node.scrollHeight - node.clientHeight") <= 1


def test_controls_work_by_keys_and_have_names(open_trace: OpenTrace) -> None:
    page = open_trace(made_up())
    page.get_by_role("radio", name="Heatmap").focus()
    page.keyboard.press("ArrowRight")
    expect(board(page)).to_have_attribute("data-view", "lines")
    expect(page.get_by_role("radio", name="Lines")).to_be_focused()
    for group in ("Which attention", "How it is shown", "What rows and columns are", "Special tokens", "Colours"):
        expect(page.get_by_role("radiogroup", name=group)).to_have_count(1)
    expect(page.get_by_role("combobox", name="What the large picture shows")).to_have_value("head")
    page.locator("[data-side='row'][data-place='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-side='column'][data-place='1']")).to_be_focused()


def test_an_encoder_deeper_than_the_decoder(open_trace: OpenTrace) -> None:
    """Rollout of the decoder sees the whole encoder, whatever the layer chosen in the decoder."""
    deep, shallow = random_trace(4, 2, 7, 6), random_trace(2, 2, 7, 6)
    trace = Trace(
        **{**vars(shallow), "encoder_self": deep.encoder_self, "encoder_self_scores": deep.encoder_self_scores}
    )
    page = open_trace(trace)
    choose(page, map="encoder_self")
    take_head(page, 3, 0)
    choose(page, merge="rollout", map="cross")
    expect(board(page)).to_have_attribute("data-layer", "1")
    np.testing.assert_allclose(read_heatmap(page)[0], rollouts(trace, 1)["cross"], atol=ROUNDED)
