"""What a visitor waits for, measured in Chromium on the real app: from the click to all heads painted."""

import statistics
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.benchmarks.frames import Act, milliseconds_to_act
from tests.browser.launch import chromium_path, running_app, running_chromium

#: About 24 tokens each with the shipped vocabulary; two, so that every click brings a new picture.
_SENTENCES = (
    "No sé por qué mi hermano mayor llegó tan tarde a la fiesta de cumpleaños de María en la casa de Tom anoche.",
    "El perro negro de mi vecina duerme todas las tardes en la cocina grande cuando hace mucho frío en el jardín.",
)
_TRANSLATIONS, _HEAD_CHANGES = 20, 40

_WATCHED = "#attention [data-drawn]"


@dataclass(frozen=True)
class PageTimes:
    """Medians in milliseconds, and what changing the head asked of the server."""

    click_to_paint: float
    head_change: float
    head_change_requests: int
    tokens: int


def measure_page() -> PageTimes:
    """Raises RuntimeError where there is no Chromium."""
    path = chromium_path()
    if path is None:
        raise RuntimeError("measuring the page needs Chromium: apt-get install chromium")
    with running_app() as url, running_chromium(path) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(url)
        page.wait_for_selector(_WATCHED)
        page.wait_for_timeout(1500)
        clicks = [_translate(page, _SENTENCES[turn % 2]) for turn in range(_TRANSLATIONS + 2)][2:]
        requests: list[str] = []
        page.wait_for_timeout(1000)
        page.on("request", lambda request: requests.append(request.url))
        changes = [_act(page, f".hl-thumb[data-head='{turn % 5}'][data-layer='1']") for turn in range(_HEAD_CHANGES)]
        tokens = page.locator("#result .hl-chip:not([data-step])").count()
        return PageTimes(statistics.median(clicks), statistics.median(changes), len(requests), tokens)


def _translate(page: Page, sentence: str) -> float:
    page.locator("#sentence textarea").fill(sentence)
    page.wait_for_timeout(300)  # the text has reached the app's state
    return _act(page, "#translate")


def _act(page: Page, selector: str) -> float:
    return milliseconds_to_act(page, Act(selector), _WATCHED)
