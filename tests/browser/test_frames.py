"""The benchmark's stop-watch: it stops when a drawing is on the screen, not when the page's script has made it."""

from pathlib import Path

from playwright.sync_api import Browser

from tests.benchmarks.frames import Act, milliseconds_to_act, milliseconds_to_open

#: What is drawn changes the size of #drawing, and in that frame, before it is painted, the observer takes this long.
_BUSY = 200
_PAGE = """<!doctype html><title>x</title><div id="drawing" data-drawn="0"></div><button>draw</button>
<select><option>a<option>b</select>
<script>
const drawing = document.querySelector("#drawing");
const busy = () => { for (const start = performance.now(); performance.now() - start < BUSY;); };
new ResizeObserver(busy).observe(drawing);
const draw = () => { drawing.append(document.createElement("hr")); drawing.dataset.drawn++; };
document.querySelector("button").onclick = () => requestAnimationFrame(draw);
document.querySelector("select").onchange = ({ target }) => target.value === "b" && draw();
draw();
</script>""".replace("BUSY", str(_BUSY))


def test_the_frame_of_the_drawing_counts(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(_PAGE)
    page = browser.new_page()
    assert milliseconds_to_open(page, file.as_uri(), "#drawing > hr") >= _BUSY
    for act in (Act("button"), Act("select", "b")):
        assert milliseconds_to_act(page, act, "#drawing") >= _BUSY
    assert page.locator("hr").count() == 3
    page.close()
