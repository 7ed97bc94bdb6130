"""What visitors do: type, open what is folded away, change the tab, save a file.

Gradio builds what is behind a tab or a folded section when it is first opened, and sets its values once more an
animation frame later: what a script types within that frame is lost. Nobody types that fast.
"""

import re

from playwright.sync_api import Page, expect

from viz.tabs.download import FORMATS


def let_two_frames_pass(page: Page) -> None:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def type_sentence(page: Page, text: str, target: str = "en") -> None:
    page.locator(f"#direction input[value='{target}']").check()
    page.locator("#sentence textarea, #sentence input").fill(text)
    page.locator("#sentence textarea, #sentence input").press("Enter")


def wait_for_text(page: Page, text: str) -> None:
    expect(page.locator("#result")).to_contain_text(text)


def open_beam(page: Page) -> None:
    page.locator("#decoding button").first.click()
    expect(page.locator("#beam input[type=number]")).to_be_visible()
    let_two_frames_pass(page)


def open_pair(page: Page) -> None:
    page.locator("#pair button").first.click()
    expect(page.locator("#forced textarea")).to_be_visible()
    let_two_frames_pass(page)


def open_tab(page: Page, tab: str) -> None:
    page.locator(f"#tab-{tab}-button").click()
    expect(page.locator(f"#tab-{tab}")).to_be_visible()
    if tab == "positions":
        for name in ("table", "curves", "similarity"):
            expect(page.locator(f"#positions-{name} .main-svg").first).to_be_attached()
    let_two_frames_pass(page)


def saved(page: Page, what: str, file_format: str) -> tuple[str, bytes]:
    """The name and the content of the file that the button saves."""
    _choose_file(page, what, file_format)
    with page.expect_download() as download:
        page.locator("#download").click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def _choose_file(page: Page, what: str, file_format: str) -> None:
    """In the two lists; the format's follows the other."""
    page.locator("#download-what input").click()
    page.locator("#download-what ul [role=option]").nth(list(FORMATS).index(what)).click()
    formats = page.locator("#download-format input")
    expect(formats).to_have_value(re.compile("|".join(FORMATS[what]).upper()))
    if formats.input_value() != file_format.upper():
        formats.click()
        page.locator("#download-format ul").get_by_role("option", name=file_format.upper()).click()
    expect(formats).to_have_value(file_format.upper())
