"""Names of downloaded files, which tell what is in them. Layers and heads count from 1, as on the page."""

import re
import unicodedata

from viz.view import Selection

_LONGEST_SENTENCE = 40  # characters


def view_name(selection: Selection, heads: str | None = None) -> str:
    """For one view: "headlight-cross-layer3-head1-words-no-specials". heads: what stands in the place of its head."""
    chosen = [f"layer{selection.layer + 1}", f"head{selection.head + 1}"]
    if selection.merge != "head":
        scope, _, how = selection.merge.partition("_")
        chosen = [f"layer{selection.layer + 1}" if scope != "all" else "all-layers", how or scope]
    parts = ["headlight", selection.map.replace("_", "-"), *([heads] if heads else chosen)]
    parts += ["lines"] if selection.view == "lines" and not heads else []
    parts += ["words"] if selection.units == "words" else []
    parts += ["no-specials"] if selection.special == "hidden" else []
    parts += ["stretched"] if selection.scale == "stretched" else []
    return "-".join(parts)


def sentence_name(text: str) -> str:
    """A sentence as the end of a name, "-donde-esta-la-biblioteca"; empty where it has no Latin letter or digit."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        if len(name) + len(word) >= _LONGEST_SENTENCE:
            break
        name += f"-{word}"
    return name
