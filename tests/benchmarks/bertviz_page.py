"""BertViz's model view as a file that needs no network, to be measured beside ours.

BertViz loads its libraries from a content delivery network through RequireJS; here they stand in the page itself.
"""

import re
from pathlib import Path

import torch
from bertviz import model_view

from transformer.trace import Floats, Trace

_MODULES = Path(__file__).parent / "node_modules"
#: The first two before RequireJS, which then hands them on under the names that BertViz asks for.
_LIBRARIES = ("d3/dist/d3.min.js", "jquery/dist/jquery.min.js", "requirejs/require.js")
_NAMES = 'define("jquery", [], () => jQuery); define("d3", [], () => d3);'


def bertviz_page(trace: Trace) -> str:
    """All three maps, as BertViz shows an encoder-decoder. Raises ValueError if the page would still load a script."""
    view = model_view(
        encoder_attention=_layers(trace.encoder_self),
        decoder_attention=_layers(trace.decoder_self),
        cross_attention=_layers(trace.cross),
        encoder_tokens=list(trace.source_tokens),
        decoder_tokens=list(trace.target_tokens),
        display_mode="light",
        html_action="return",
    )
    body = re.sub(r'<script src="https:[^"]+"></script>', "", view.data)
    if "<script src" in body:
        raise ValueError("BertViz's page loads a script that was not put into it")
    libraries = [*((_MODULES / name).read_text(encoding="utf-8") for name in _LIBRARIES), _NAMES]
    head = "\n".join(f"<script>{script}</script>" for script in libraries)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>BertViz</title>'
        f"{head}</head><body>{body}</body></html>"
    )


def _layers(weights: Floats) -> list[torch.Tensor]:
    """(L, H, Q, K) -> one (1, H, Q, K) for each layer."""
    return [torch.from_numpy(layer)[None] for layer in weights]
