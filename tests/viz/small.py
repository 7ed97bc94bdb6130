"""A trace small enough for its views to be worked out by hand."""

from typing import Any

import numpy as np

from transformer.trace import KINDS, Trace
from viz.step import Step, step_of
from viz.view import Selection, View, view_of

#: Reads "library!" in four tokens between the tag and the end, writes "biblio-teca" in two and the end.
SOURCE = ("<2es>", "▁li", "brary", "!", "</s>")
SURFACES = ("", "▁li", "brary", "!", "")
WENT_IN = ("<s>", "▁biblio", "teca")
CAME_OUT = ("▁biblio", "teca", "</s>")
CROSS = [
    [[0.1, 0.2, 0.3, 0.0, 0.4], [0.0, 0.5, 0.1, 0.2, 0.2], [0.5, 0.0, 0.0, 0.0, 0.5]],
    [[0.9, 0.1, 0.0, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2], [0.6, 0.1, 0.1, 0.1, 0.1]],
]
#: Two candidates a step; the last step takes neither.
CANDIDATES = (("▁biblio", "▁libro"), ("s", "teca"), ("!", "▁y"))
CHANCES = np.log([[0.7, 0.2], [0.5, 0.4], [0.6, 0.3]]).astype(np.float32)
TAKEN = np.log([0.7, 0.4, 0.05]).astype(np.float32)
DECODER = [
    [[1, 0, 0], [0.6, 0.4, 0], [0.2, 0.3, 0.5]],
    [[1, 0, 0], [0.5, 0.5, 0], [0.4, 0.4, 0.2]],
]


def small_trace(**changes: Any) -> Trace:
    """Two layers of two heads; the second layer's are the first's in the other order."""

    def layers(heads: Any) -> np.ndarray:
        return np.array([heads, heads[::-1]], np.float32)

    encoder = [np.eye(5), np.full((5, 5), 0.2)]
    maps = {"encoder_self": layers(encoder), "decoder_self": layers(DECODER), "cross": layers(CROSS)}
    masks = {"encoder_self": np.ones((5, 5), bool), "decoder_self": np.tri(3) > 0, "cross": np.ones((3, 5), bool)}
    values: dict[str, Any] = {
        "model": "small",
        "source_text": "library!",
        "target": "es",
        "text": "biblioteca",
        "beam_size": 1,
        "forced": False,
        "finished": True,
        "dropped": 0,
        "source_tokens": SOURCE,
        "source_surfaces": SURFACES,
        "target_tokens": WENT_IN,
        "output_tokens": CAME_OUT,
        "special_tokens": ("<s>", "</s>", "<2es>"),
        **maps,
        **{f"{kind}_scores": maps[kind] for kind in KINDS},
        **{f"{kind}_mask": masks[kind] for kind in KINDS},
        "log_probs": TAKEN,
        "top_k_tokens": CANDIDATES,
        "top_k_log_probs": CHANCES,
    }
    return Trace(**values | changes)


def small_view(trace: Trace | None = None, **selected: Any) -> View:
    """By default the first head of the first layer of the cross-attention."""
    return view_of(trace or small_trace(), Selection(**{"map": "cross", "layer": 0, **selected}))


def small_step(place: int = 1, **changes: Any) -> Step:
    """By default the second of three, which takes the second likeliest token."""
    return step_of(small_trace(**changes), place)
