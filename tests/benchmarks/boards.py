"""The board as one file beside BertViz's model view: the same weights, the same Chromium, one after the other.

Six layers of eight heads, and all three maps of them. The weights are random, of a few strong cells a row.
"""

import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.benchmarks.bertviz_page import bertviz_page
from tests.benchmarks.frames import Act, milliseconds_to_act, milliseconds_to_open
from tests.browser.launch import chromium_path, running_chromium
from tests.browser.plain import random_trace
from transformer.proof import Proof
from transformer.trace import KINDS, Trace
from transformer.translator import Translator
from viz.board.payload import board_payload
from viz.board.standalone import Board, standalone_page
from viz.tabs.masks import panels_payload
from viz.text import texts

LAYERS, HEADS = 6, 8
LENGTHS = (24, 64, 100)
_ROUNDS, _TURNS = 3, 3
#: Milliseconds: before each act, and the most that BertViz may take.
_REST, _PATIENCE = 500, 300_000

_OURS_DRAWN, _OURS_WATCHED = '#attention [data-drawn]:not([data-drawn="0"])', "#attention [data-drawn]"
_THEIRS_DRAWN, _THEIRS_WATCHED = "#vis > svg", "#vis"
_OUR_CROSS, _THEIR_CROSS = Act('[data-map-button="cross"]'), Act("#filter", "2")


def _buttons(name: str, there: str, back: str) -> tuple[Act, Act]:
    return Act(f'[data-{name}-button="{there}"]'), Act(f'[data-{name}-button="{back}"]')


def _merges(there: str) -> tuple[Act, Act]:
    return Act("[data-merge-choice]", there), Act("[data-merge-choice]", "head")


_STEP = Act('.hl-output[data-step="3"]')

#: What can be switched on the page, by its name in the table: the act that is measured, and the one that leads back.
_SWITCHES: dict[str, tuple[Act, Act]] = {
    "map": _buttons("map", "decoder_self", "cross"),
    "head": (Act('.hl-thumb[data-layer="0"][data-head="1"]'), Act('.hl-thumb[data-layer="5"][data-head="0"]')),
    "step": (_STEP, _STEP),
    "mean of a layer": _merges("layer_mean"),
    "maximum of all heads": _merges("all_max"),
    "rollout": _merges("rollout"),
    "words": _buttons("units", "words", "pieces"),
    "special tokens hidden": _buttons("special", "hidden", "shown"),
    "colours to the maximum": _buttons("scale", "stretched", "fixed"),
    "lines": _buttons("view", "lines", "heatmap"),
    "table": _buttons("view", "table", "heatmap"),
}


@dataclass(frozen=True)
class Visit:
    """Milliseconds until painted: the page opened, its cross-attention chosen, what can be switched some times each."""

    opened: float
    crossed: float
    switches: dict[str, list[float]]


@dataclass(frozen=True)
class Times:
    """One page: its size in bytes, and medians over all visits."""

    size: int
    opened: float
    crossed: float
    switches: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """Both pages, with `tokens` on each side, and the bytes of ours that are the weights."""

    tokens: int
    weights: int
    ours: Times
    theirs: Times


def measure_boards(translator: Translator) -> list[Comparison]:
    """Raises RuntimeError where there is no Chromium. translator: whose masks stand under our board."""
    path = chromium_path()
    if path is None:
        raise RuntimeError("measuring the boards needs Chromium: apt-get install chromium")
    with running_chromium(path) as browser, tempfile.TemporaryDirectory() as folder:
        return [_compare(browser, Path(folder), translator, length) for length in LENGTHS]


def _compare(browser: Browser, folder: Path, translator: Translator, length: int) -> Comparison:
    trace = random_trace(LAYERS, HEADS, length, length)
    payload = board_payload(trace, Proof(0, 0))
    maps = json.loads(payload)["maps"]
    ours, theirs = folder / "headlight.html", folder / "bertviz.html"
    ours.write_text(_our_page(trace, payload, translator), encoding="utf-8")
    theirs.write_text(bertviz_page(trace), encoding="utf-8")
    turns = _TURNS if length == LENGTHS[-1] else 0
    visits = [(_visit_ours(browser, ours, turns), _visit_theirs(browser, theirs)) for _ in range(_ROUNDS)]
    of_ours, of_theirs = zip(*visits, strict=True)
    weights = sum(len(maps[kind]["weights"]) for kind in KINDS)
    return Comparison(length, weights, _times(ours, of_ours), _times(theirs, of_theirs))


def _our_page(trace: Trace, payload: str, translator: Translator) -> str:
    """It opens with the encoder's map, as BertViz' does."""
    board = Board(trace.source_text, payload, panels_payload(translator, trace), {"map": "encoder_self"})
    return standalone_page(board, "Headlight", "benchmark", texts("en"), "en")


def _visit_ours(browser: Browser, file: Path, turns: int) -> Visit:
    """turns: how often each switch is taken."""
    with _window(browser) as page:
        opened = milliseconds_to_open(page, file.as_uri(), _OURS_DRAWN)
        page.evaluate("document.querySelector('#attention').scrollIntoView()")
        crossed = _rested_act(page, _OUR_CROSS)
        switches: dict[str, list[float]] = {}
        for _ in range(turns):
            for name, (there, back) in _SWITCHES.items():
                switches.setdefault(name, []).append(_rested_act(page, there))
                _rested_act(page, back)
        return Visit(opened, crossed, switches)


def _rested_act(page: Page, act: Act) -> float:
    page.wait_for_timeout(_REST)
    return milliseconds_to_act(page, act, _OURS_WATCHED)


def _visit_theirs(browser: Browser, file: Path) -> Visit:
    with _window(browser) as page:
        opened = milliseconds_to_open(page, file.as_uri(), _THEIRS_DRAWN)
        page.wait_for_timeout(_REST)
        crossed = milliseconds_to_act(page, _THEIR_CROSS, _THEIRS_WATCHED)
        return Visit(opened, crossed, {})


@contextmanager
def _window(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(_PATIENCE)
    try:
        yield page
    finally:
        page.close()


def _times(file: Path, visits: Sequence[Visit]) -> Times:
    names = visits[0].switches
    return Times(
        file.stat().st_size,
        statistics.median(visit.opened for visit in visits),
        statistics.median(visit.crossed for visit in visits),
        {name: statistics.median(time for visit in visits for time in visit.switches[name]) for name in names},
    )
