"""The model: text -> tokens -> Transformer -> Trace. It knows nothing of plots or web pages.

Names load on first use, so that ``from transformer.trace import Trace`` works where torch is not installed.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformer.config import PRESETS as PRESETS
    from transformer.config import ModelConfig as ModelConfig
    from transformer.model import Transformer as Transformer
    from transformer.tokenizer import Tokenizer as Tokenizer
    from transformer.trace import AttentionMap as AttentionMap
    from transformer.trace import Trace as Trace
    from transformer.translator import Translation as Translation
    from transformer.translator import Translator as Translator

_HOME = {
    "ModelConfig": "config",
    "PRESETS": "config",
    "Tokenizer": "tokenizer",
    "Transformer": "model",
    "Trace": "trace",
    "AttentionMap": "trace",
    "Translation": "translator",
    "Translator": "translator",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'transformer' has no attribute {name!r}")
    return getattr(importlib.import_module(f"transformer.{_HOME[name]}"), name)
