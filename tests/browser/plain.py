"""The board in a page of its own, without Gradio and without a server: for made-up traces of any size."""

from typing import Any

import numpy as np

from transformer.trace import KINDS, Trace
from viz.board.component import board_css, board_head
from viz.text import LANGUAGES, texts

_MOUNTS = """
for (const view of ["result", "attention"]) {
  const element = document.getElementById(view);
  const props = { value: view === "result" ? document.getElementById("payload").textContent : "" };
  (globalThis.headlightMounts ??= []).push({ view, element, props, watch() {} });
}
"""


def board_page(payload: str) -> str:
    """HTML of a page that shows the translation and the attention board of a payload from `board_payload`."""
    head = board_head({language: texts(language) for language in LANGUAGES})
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Headlight</title>{head}'
        f"<style>body {{ margin: 1rem; font-family: sans-serif; }}\n{board_css()}</style></head><body>"
        '<div id="result"></div><div id="attention"></div>'
        f'<script type="application/json" id="payload">{payload}</script>'
        f"<script>{_MOUNTS}</script></body></html>"
    )


def random_trace(layers: int, heads: int, source: int, target: int, seed: int = 0) -> Trace:
    """Weights of a few strong cells a row; every second token goes on with the word before it."""
    random = np.random.default_rng(seed)
    sides = {"encoder_self": (source, source), "decoder_self": (target, target), "cross": (target, source)}
    arrays: dict[str, Any] = {}
    for kind in KINDS:
        mask = np.tril(np.ones(sides[kind], dtype=bool)) if kind == "decoder_self" else np.ones(sides[kind], dtype=bool)
        scores = (2 * random.normal(size=(layers, heads, *sides[kind]))).astype(np.float32)
        exponents = np.where(mask, np.exp(scores), 0)
        weights = (exponents / exponents.sum(-1, keepdims=True)).astype(np.float32)
        arrays |= {kind: weights, f"{kind}_scores": scores, f"{kind}_mask": mask}
    read = ["<2en>", *_pieces(source - 2), "</s>"]
    written = _pieces(target - 1)
    candidates = tuple((token, "▁or") for token in [*written, "</s>"])
    return Trace(
        model="random",
        source_text="".join(read[1:-1]).replace("\u2581", " ").strip(),
        target="en",
        text="".join(written).replace("\u2581", " ").strip(),
        beam_size=1,
        forced=False,
        finished=True,
        dropped=0,
        source_tokens=tuple(read),
        source_surfaces=("", *read[1:-1], ""),
        target_tokens=("<s>", *written),
        output_tokens=(*written, "</s>"),
        special_tokens=("<s>", "</s>", "<2en>"),
        log_probs=np.full(target, -0.1, dtype=np.float32),
        top_k_tokens=candidates,
        top_k_log_probs=np.full((target, 2), [-0.1, -3], dtype=np.float32),
        **arrays,
    )


def _pieces(count: int) -> list[str]:
    return [f"{'' if i % 2 else chr(0x2581)}to{i}" for i in range(count)]
