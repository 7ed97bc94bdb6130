"""Names of downloaded files, which tell what is in them. Layers, heads and steps count from 1, as on the page."""

import re
import unicodedata

from viz.step import Step
from viz.view import Selection

_LONGEST_SENTENCE = 40  # characters


def view_name(selection: Selection, heads: str | None = None) -> str:
    """For a picture: "headlight-cross-layer3-head1-words-no-specials". heads: what stands in the place of its heads."""
    parts = ["headlight", selection.map.replace("_", "-"), *([heads] if heads else _heads(selection))]
    parts += ["lines"] if selection.view == "lines" and not heads else []
    parts += ["words"] if selection.units == "words" else []
    parts += ["no-specials"] if selection.special == "hidden" else []
    parts += ["stretched"] if selection.scale == "stretched" else []
    return "-".join(parts)


def step_name(step: Step) -> str:
    """ "headlight-step3"."""
    return f"headlight-step{step.place + 1}"


def _heads(selection: Selection) -> list[str]:
    """["layer3", "head1"], ["layer3", "heads4-1-6"], ["layer3", "mean"], ["all-layers", "max"]."""
    layer = f"layer{selection.layer + 1}"
    if selection.heads:
        numbers = "-".join(str(head + 1) for head in selection.heads)
        return [layer, f"heads{numbers}" if len(selection.heads) > 1 else f"head{numbers}"]
    scope, _, how = selection.merge.partition("_")
    return [layer if scope != "all" else "all-layers", how or scope]


def sentence_name(text: str) -> str:
    """A sentence as the end of a name, "-donde-esta-la-biblioteca"; empty where it has no Latin letter or digit."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        if len(name) + len(word) >= _LONGEST_SENTENCE:
            break
        name += f"-{word}"
    return name
