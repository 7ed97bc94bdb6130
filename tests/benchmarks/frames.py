"""When something is on the screen: scripts that measure it in the page, the same for every page.

What is drawn before or within an animation frame is painted at that frame's end. A message that is posted within the
frame arrives after it: then style, layout and painting are done.
"""

import json
from dataclasses import dataclass

from playwright.sync_api import Page

_AT_ITS_END = """
const atItsEnd = (then) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(null);
};"""
_AWAIT_FIRST = """
globalThis.painted = new Promise((resolve) => {
    const found = () => document.querySelector(SELECTOR) !== null;
    const done = () => resolve(performance.now());
    const look = () => requestAnimationFrame(() => (found() ? atItsEnd(done) : look()));
    look();
});"""
_ACT_AND_WAIT = """
return new Promise((resolve) => {
    const node = document.querySelector(selector);
    const start = performance.now();
    const done = () => resolve(performance.now() - start);
    new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => atItsEnd(done));
    }).observe(document.querySelector(watched), { childList: true, attributes: true, attributeFilter: ["data-drawn"] });
    if (value === null) return node.click();
    node.value = value;
    node.dispatchEvent(new Event("change"));
});"""


@dataclass(frozen=True)
class Act:
    """A click on an element, or the choice of a value in a list."""

    selector: str
    value: str | None = None


def milliseconds_to_open(page: Page, url: str, drawn: str) -> float:
    """From the navigation until the element `drawn` (a selector), and what came with it, are painted."""
    page.add_init_script(f"(() => {{{_AT_ITS_END}{_AWAIT_FIRST.replace('SELECTOR', json.dumps(drawn))}}})();")
    page.goto(url, wait_until="commit")
    return float(page.evaluate("painted"))


def milliseconds_to_act(page: Page, act: Act, watched: str) -> float:
    """From the act until what it draws is painted: the element `watched` gets other children or another data-drawn."""
    script = f"([selector, value, watched]) => {{{_AT_ITS_END}{_ACT_AND_WAIT}}}"
    return float(page.evaluate(script, [act.selector, act.value, watched]))
