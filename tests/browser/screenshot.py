"""`make screenshot`: the picture in the README, taken from the running app."""

from tests.browser.launch import chromium_path, running_app, running_chromium
from tests.conftest import ROOT

_PICTURE = ROOT / "docs" / "screenshot.png"
_SENTENCE = "No sé por qué Tom llegó tarde a la fiesta."


def main() -> None:
    path = chromium_path()
    if path is None:
        raise SystemExit("the screenshot needs Chromium: apt-get install chromium")
    with running_app() as url, running_chromium(path) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1270}, locale="en-GB")
        page.goto(url)
        page.wait_for_selector("#attention [data-drawn]")
        before = page.locator("#result").inner_text()
        page.locator("#sentence textarea").fill(_SENTENCE)
        page.locator("#sentence textarea").press("Enter")
        page.wait_for_function("before => document.querySelector('#result').innerText !== before", arg=before)
        page.wait_for_timeout(500)
        _PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=_PICTURE)


if __name__ == "__main__":
    main()
