"""All that is measured, as one Markdown table."""

import json
import os
import platform
import re
import statistics
import time
from importlib.metadata import version
from pathlib import Path

import torch

from tests.benchmarks.page import measure_page
from tests.benchmarks.readme import write_between_markers
from tests.benchmarks.speed import measure_speed
from transformer.trace import KINDS
from transformer.translator import Translator
from viz.board.payload import board_payload

COMMAND = "python -m tests.benchmarks"
_ROOT = Path(__file__).parents[2]
_README, _CHECKPOINT = _ROOT / "README.md", _ROOT / "checkpoints" / "es-en"
#: As in app.py, for both sides.
_THREADS = 1
#: 24 tokens or so on either side.
_SENTENCE = (
    "No sé por qué mi hermano mayor llegó tan tarde a la fiesta de cumpleaños de María en la casa de Tom anoche."
)

Row = tuple[str, str]


def main() -> None:
    torch.set_num_threads(_THREADS)
    text = "\n".join([*_table([*_speed_rows(), *_payload_rows(), _load_row(), *_page_rows()]), "", _where()])
    print(text)
    write_between_markers(_README, text)


def _table(rows: list[Row]) -> list[str]:
    return ["| measured | result |", "| --- | --- |", *(f"| {name} | {result} |" for name, result in rows)]


def _speed_rows() -> list[Row]:
    return [
        (
            f"decode and record, {speed.tokens} tokens in, {speed.tokens} out",
            f"{speed.ours:.1f} ms; Hugging Face {speed.theirs:.1f} ms; ratio {speed.ratio:.2f}",
        )
        for speed in measure_speed()
    ]


def _payload_rows() -> list[Row]:
    translator = Translator.from_pretrained(_CHECKPOINT)
    trace = translator.trace(_SENTENCE, "en")
    payload = board_payload(trace, translator.proof(trace), translator.alignment)
    maps = json.loads(payload)["maps"]
    weights = sum(trace.weights(kind).size for kind in KINDS)
    packed = sum(_bytes_of_base64(maps[kind]["weights"]) for kind in KINDS)
    size = f"{len(trace.source_tokens)} source and {len(trace.target_tokens)} target tokens"
    return [
        ("payload, before base64", f"{packed / weights:.2f} bytes a weight ({weights:,} weights)"),
        ("payload, as it is sent", f"{len(payload.encode()) / 1000:,.0f} kB for {size}"),
    ]


def _bytes_of_base64(text: str) -> int:
    return len(text) * 3 // 4 - text.count("=")


def _load_row() -> Row:
    times = []
    for _ in range(7):
        start = time.perf_counter()
        Translator.from_pretrained(_CHECKPOINT)
        times.append((time.perf_counter() - start) * 1000)
    return "load the checkpoint", f"{statistics.median(times):.0f} ms"


def _page_rows() -> list[Row]:
    page = measure_page()
    return [
        (f"click to all heads painted, {page.tokens} tokens", f"{page.click_to_paint:.0f} ms"),
        ("change of head", f"{page.head_change:.0f} ms, {page.head_change_requests} requests to the server"),
    ]


def _where() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "gradio"))
    return (
        "Medians. Hugging Face: Marian's generate, greedy, with all attentions. Both models have 3+3 layers of width "
        "192, 6 heads, 8,000 pieces and random weights; their rounds alternate in one run "
        f"on {'one thread' if _THREADS == 1 else f'{_THREADS} threads'}. {_processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {packages}. `{COMMAND}`"
    )


def _processor() -> str:
    """The processor's name, from Linux' own file where there is one."""
    listed = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", listed.read_text(), re.MULTILINE) if listed.exists() else []
    return names[0] if names else platform.processor() or platform.machine()
