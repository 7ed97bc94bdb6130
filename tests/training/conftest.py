"""A tiny made-up corpus, and tiny settings for it."""

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from transformer.config import ModelConfig
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair
from transformer.training.loop import Run
from transformer.training.settings import TrainingSettings
from transformer.training.state import StateFolder, identity

#: Pieces that so small a corpus can give.
VOCABULARY = 70

_SUBJECTS = {"Ana": "Ana", "Tom": "Tom", "the girl": "la niña", "my uncle": "mi tío", "nobody": "nadie"}
_VERBS = {"sees": "ve", "buys": "compra", "paints": "pinta", "loses": "pierde", "wants": "quiere"}
_ADJECTIVES = {"red": "rojo", "old": "viejo", "cheap": "barato", "tiny": "diminuto"}
_NOUNS = {"hat": "sombrero", "clock": "reloj", "boat": "barco", "book": "libro", "lamp": "farol", "chair": "sillón"}


def made_up_pairs(count: int) -> list[Pair]:
    """count different pairs; in neither column is a sentence met twice."""
    every = list(itertools.product(_SUBJECTS, _VERBS, _ADJECTIVES, _NOUNS))
    return [
        Pair(
            f"{subject[0].upper()}{subject[1:]} {verb} the {adjective} {noun}.",
            f"{_SUBJECTS[subject][0].upper()}{_SUBJECTS[subject][1:]} {_VERBS[verb]} el {_NOUNS[noun]} "
            f"{_ADJECTIVES[adjective]}.",
        )
        for subject, verb, adjective, noun in random.Random(0).sample(every, count)
    ]


def write_pairs(path: Path, pairs: list[Pair]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{first}\t{second}\n" for first, second in pairs), encoding="utf-8")


def tiny_settings(**changes: Any) -> TrainingSettings:
    """A model of about 40,000 parameters. Changes name fields of TrainingSettings or of its ModelConfig."""
    sizes: dict[str, Any] = {
        "source_vocab_size": VOCABULARY,
        "target_vocab_size": VOCABULARY,
        "d_model": 32,
        "num_heads": 4,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "d_ff": 64,
        "max_length": 64,
        "norm_first": True,
        "final_norm": True,
    }
    own: dict[str, Any] = {
        "steps": 12,
        "batch_tokens": 120,
        "warmup_steps": 4,
        "validate_every": 5,
        "precision": "fp32",
    }
    for name, value in changes.items():
        (own if name in TrainingSettings.__dataclass_fields__ else sizes)[name] = value
    return TrainingSettings(model=ModelConfig(**sizes), **own)


@pytest.fixture(scope="session")
def pairs() -> list[Pair]:
    return made_up_pairs(60)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    texts = (text for pair in made_up_pairs(200) for text in pair)
    return Tokenizer.train(texts, VOCABULARY, ["en", "es"])


@pytest.fixture(autouse=True, scope="package")
def _one_thread() -> Iterator[None]:
    """Sums in another order are other sums, and tiny models are slower with more threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _fresh_accelerate() -> Iterator[None]:
    """Accelerate keeps device and precision of the first Accelerator of a process."""
    AcceleratorState._reset_state(reset_partial_state=True)
    yield
    AcceleratorState._reset_state(reset_partial_state=True)


MakeRun = Callable[[Path, TrainingSettings], Run]


@pytest.fixture
def make_run(pairs: list[Pair], tokenizer: Tokenizer) -> MakeRun:
    """A run whose folders lie under the given one; made again there, it goes on."""

    def make(folder: Path, settings: TrainingSettings) -> Run:
        state = StateFolder(folder / "state")
        state.claim(identity(settings, (pairs, pairs[:4]), 1))
        return Run(settings, tokenizer, folder / "checkpoint", state, Accelerator(cpu=True, mixed_precision="no"))

    return make
