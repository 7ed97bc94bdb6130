"""`make screenshot`: the pictures in the README, taken from the running app. What each shows is an address of it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from tests.browser.launch import chromium_path, running_app, running_chromium
from tests.conftest import ROOT

_FOLDER = ROOT / "docs"
_SENTENCE = "No sé por qué Tom llegó tarde a la fiesta."


@dataclass(frozen=True)
class Picture:
    """`show` is what a link says beside the sentence; `part` a selector of what is taken, by default the window.

    A part comes with the window's whole width.
    """

    name: str
    show: dict[str, str]
    window: tuple[int, int] = (1280, 1000)
    query: str = ""
    dark: bool = False
    part: str = ""


PICTURES = (
    Picture("screenshot", {}, (1280, 1235)),
    Picture(
        "screenshot-lines",
        {"view": "lines", "units": "words", "layer": "1", "head": "3", "lines": "4"},
        part="#attention",
    ),
    Picture("screenshot-steps", {"tab": "steps", "step": "7"}, part="#tab-steps"),
    Picture("screenshot-present", {}, (1280, 720), query="?present=1"),
    Picture("screenshot-dark", {"map": "decoder_self", "layer": "1", "head": "2"}, (1280, 1180), dark=True),
    Picture("screenshot-phone", {}, (390, 844), part="#attention .hl-stage"),
)
_MARGIN = 10


def main() -> None:
    path = chromium_path()
    if path is None:
        raise SystemExit("the pictures need Chromium: apt-get install chromium")
    with running_app() as url, running_chromium(path) as browser:
        for picture in PICTURES:
            _take(browser, url, picture)


def _take(browser: Browser, url: str, picture: Picture) -> None:
    width, height = picture.window
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    page.goto(f"{url}/{picture.query}#{urlencode({'text': _SENTENCE, 'to': 'en', **picture.show})}")
    _wait(page)
    page.screenshot(path=_FOLDER / f"{picture.name}.png", **(_lines_of(page, picture.part) if picture.part else {}))
    context.close()


def _lines_of(page: Page, part: str) -> dict[str, Any]:
    """How Playwright is told to take what stands at the height of a part of the page."""
    box = page.locator(part).bounding_box()
    size = page.viewport_size
    if not box or not size:
        raise ValueError(f"{part} is not on the page")
    clip = {"x": 0, "y": box["y"] - _MARGIN, "width": size["width"], "height": box["height"] + 2 * _MARGIN}
    return {"full_page": True, "clip": clip}


def _wait(page: Page) -> None:
    """Until the sentence of the link is drawn, and what Gradio lets glide has come to rest."""
    page.wait_for_function("text => globalThis.headlight?.request()?.text === text", arg=_SENTENCE)
    page.wait_for_timeout(1000)


if __name__ == "__main__":
    main()
