"""When something is on the screen: scripts that measure it in the page, the same for every page.

What is drawn before or within an animation frame is painted when that frame ends, with all its style and layout. A task
that is posted within the frame runs after its end, and of the highest priority before any other.
"""

import json
from dataclasses import dataclass

from playwright.sync_api import Page

_END_OF_FRAME = """
const endOfFrame = () => new Promise((resolve) => {
    requestAnimationFrame(() => scheduler.postTask(resolve, { priority: "user-blocking" }));
});"""
_AWAIT_FIRST = """
globalThis.painted = (async () => {
    do await endOfFrame(); while (!document.querySelector(SELECTOR));
    return performance.now();
})();"""
_ACT_AND_WAIT = """
let drawn = false;
const observed = { childList: true, attributes: true, attributeFilter: ["data-drawn"] };
new MutationObserver(() => (drawn = true)).observe(document.querySelector(watched), observed);
const node = document.querySelector(selector);
const start = performance.now();
if (value === null) node.click();
else {
    node.value = value;
    node.dispatchEvent(new Event("change"));
}
do await endOfFrame(); while (!drawn);
return performance.now() - start;"""


@dataclass(frozen=True)
class Act:
    """A click on an element, or the choice of a value in a list."""

    selector: str
    value: str | None = None


def milliseconds_to_open(page: Page, url: str, drawn: str) -> float:
    """From the navigation until the element `drawn` (a selector), and what came with it, are painted."""
    page.add_init_script(f"{{{_END_OF_FRAME}{_AWAIT_FIRST.replace('SELECTOR', json.dumps(drawn))}}}")
    page.goto(url, wait_until="commit")
    return float(page.evaluate("painted"))


def milliseconds_to_act(page: Page, act: Act, watched: str) -> float:
    """From the act until what it draws is painted: the element `watched` gets other children or another data-drawn."""
    script = f"async ([selector, value, watched]) => {{{_END_OF_FRAME}{_ACT_AND_WAIT}}}"
    return float(page.evaluate(script, [act.selector, act.value, watched]))
