"""All that is measured, as Markdown tables."""

import json
import os
import platform
import re
import statistics
import time
from importlib.metadata import version
from pathlib import Path

import torch

from tests.benchmarks.boards import HEADS, LAYERS, Comparison, measure_boards
from tests.benchmarks.page import measure_page
from tests.benchmarks.readme import table, write_between_markers
from tests.benchmarks.speed import measure_speed
from transformer.trace import KINDS
from transformer.translator import Translator
from viz.board.payload import board_payload

_ROOT = Path(__file__).parents[2]
_README, _CHECKPOINT = _ROOT / "README.md", _ROOT / "checkpoints" / "es-en"
#: As in app.py, for both sides.
_THREADS = 1
#: 24 tokens or so on either side.
_SENTENCE = (
    "No sé por qué mi hermano mayor llegó tan tarde a la fiesta de cumpleaños de María en la casa de Tom anoche."
)


def main() -> None:
    torch.set_num_threads(_THREADS)
    translator = Translator.from_pretrained(_CHECKPOINT)
    text = "\n\n".join([_speed(), _page(translator), _boards(measure_boards(translator)), _where()])
    print(text)
    write_between_markers(_README, text)


def _speed() -> str:
    rows = [
        (f"{speed.tokens}", f"{speed.ours:.1f} ms", f"{speed.theirs:.1f} ms", f"{speed.ratio:.2f}")
        for speed in measure_speed()
    ]
    return f"""\
**Translate, and record every attention weight**, beside Hugging Face's Marian (`generate`, greedy, with all
attentions). Both models have 3+3 layers of width 192, 6 heads, 8,000 pieces and random weights.

{table(("tokens in, and as many out", "Headlight", "Hugging Face", "ratio"), rows)}"""


def _page(translator: Translator) -> str:
    trace = translator.trace(_SENTENCE, "en")
    payload = board_payload(trace, translator.proof(trace), translator.alignment)
    maps = json.loads(payload)["maps"]
    packed = sum(_bytes_of_base64(maps[kind]["weights"]) for kind in KINDS)
    weights = sum(trace.weights(kind).size for kind in KINDS)
    page = measure_page()
    sent = f"sent to the page for {len(trace.source_tokens)} tokens in and {len(trace.target_tokens)} out"
    rows = [
        ("loading the checkpoint", f"{_milliseconds_to_load():.0f} ms"),
        (f"a click on Translate, {page.tokens} tokens, all heads painted", f"{page.click_to_paint:.0f} ms"),
        ("a click on another head, painted", f"{page.head_change:.0f} ms, {page.head_change_requests} requests"),
        (sent, f"{len(payload.encode()) / 1000:,.0f} kB"),
        ("of it for one weight, before base64", f"{packed / weights:.2f} bytes"),
    ]
    return f"**The page**, with the shipped model, in Chromium.\n\n{table(('', 'measured'), rows)}"


def _bytes_of_base64(text: str) -> int:
    return len(text) * 3 // 4 - text.count("=")


def _milliseconds_to_load() -> float:
    times = []
    for _ in range(7):
        start = time.perf_counter()
        Translator.from_pretrained(_CHECKPOINT)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def _boards(comparisons: list[Comparison]) -> str:
    rows = [row for comparison in comparisons for row in _comparison_rows(comparison)]
    largest = comparisons[-1]
    slowest_first = sorted(largest.ours.switches.items(), key=lambda switch: -switch[1])
    switches = ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in slowest_first)
    return f"""\
**The board saved as one file**, beside the model view of BertViz {version("bertviz")} with its scripts put into it:
{LAYERS} layers of {HEADS} heads, all three maps, the same random weights. Painted: all heads of the map, in Headlight
the large picture too.

{table(("tokens in, and as many out", "Headlight", "BertViz", "ratio"), rows)}

Of Headlight's file with {largest.tokens} tokens, {largest.weights / 1e3:,.0f} kB are the weights. From a click until
what it switches is painted, the slowest first: {switches}."""


def _comparison_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    ours, theirs = comparison.ours, comparison.theirs
    measured = [
        ("the file", ours.size / 1e3, theirs.size / 1e3, "kB"),
        ("opened and painted", ours.opened, theirs.opened, "ms"),
        ("cross-attention chosen and painted", ours.crossed, theirs.crossed, "ms"),
    ]
    return [
        (f"{comparison.tokens}: {name}", f"{our:,.0f} {unit}", f"{their:,.0f} {unit}", f"{our / their:.3f}")
        for name, our, their, unit in measured
    ]


def _where() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "gradio"))
    threads = "one thread" if _THREADS == 1 else f"{_THREADS} threads"
    return f"""\
Medians of one run, in which the sides take turns: the ratios are to be trusted more than the times.
{_processor()}, {os.cpu_count()} cores, the models on {threads}; Python {platform.python_version()}, {packages}."""


def _processor() -> str:
    """The processor's name, from Linux' own file where there is one."""
    listed = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", listed.read_text(), re.MULTILINE) if listed.exists() else []
    return names[0] if names else platform.processor() or platform.machine()
