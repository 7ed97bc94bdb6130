"""The whole board as one HTML file that works without a server and without a network."""

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viz.board.bundle import bundle

_FOLDER = Path(__file__).parent
_STYLES = ("standalone.css", "board.css", "present.css")
#: Nothing may be fetched, whatever a sentence holds; scripts and styles stand in the page itself.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True)
class Board:
    """What the page shows: a sentence, payloads of `board_payload` and `masks_payload`, and what it opens with."""

    sentence: str
    trace: str
    masks: str
    selection: Mapping[str, Any]


def standalone_page(board: Board, title: str, stamp: str, texts: Mapping[str, str], language: str) -> str:
    """The page in one language. texts: `viz.text.texts` of it; stamp: the line at the foot.

    Light or dark is the reader's setting.
    """
    styles = "".join((_FOLDER / name).read_text(encoding="utf-8") for name in _STYLES)
    data = json.dumps({"language": language, "texts": dict(texts), "selection": dict(board.selection)})
    return f"""<!doctype html>
<html lang="{html.escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="{html.escape(stamp)}">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<style>
{styles}</style>
</head>
<body>
<header><h1>Headlight</h1><p>{html.escape(texts["page.tagline"])}</p><div id="present" class="hl"></div></header>
<main>
<div><p id="sentence" dir="auto">{html.escape(board.sentence)}</p><div id="result"></div></div>
<div id="attention"></div>
<div id="steps"></div>
<div id="masks"></div>
</main>
<footer><p>{html.escape(stamp)}</p><p>{html.escape(texts["board.file.made"])}</p></footer>
<script type="application/json" id="page">{_inert(data)}</script>
<script type="application/json" id="trace">{_inert(board.trace)}</script>
<script type="application/json" id="panels">{_inert(board.masks)}</script>
<script>
(() => {{
"use strict";
{bundle(_FOLDER, "alone.js")}
openAlone();
}})();
</script>
</body>
</html>
"""


def _inert(text: str) -> str:
    """JSON that cannot end its script element: "<" occurs in strings only, where JSON may escape it."""
    return text.replace("<", "\\u003c")
