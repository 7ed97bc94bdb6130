"""`python -m transformer.training`: learn a tokenizer and a model from a folder with train.tsv and valid.tsv."""

import argparse
from pathlib import Path

from accelerate import Accelerator

from transformer.config import PRESETS
from transformer.tokenizer import Tokenizer
from transformer.training.data import Pair, read_pairs
from transformer.training.loop import Run
from transformer.training.settings import TrainingSettings
import dataclasses


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--data", type=Path, required=True)
    p.add_argument("--checkpoint", type=Path, required=True)
    p.add_argument("--state", type=Path, required=True)
    p.add_argument("--steps", type=int, default=8000)
    p.add_argument("--precision", default="bf16")
    a = p.parse_args()
    train, valid = read_pairs(a.data / "train.tsv"), read_pairs(a.data / "valid.tsv")
    acc = Accelerator(cpu=True, mixed_precision=a.precision)
    a.state.mkdir(parents=True, exist_ok=True)
    tok_path = a.state / "tokenizer.model"
    if not tok_path.exists():
        tok_path.write_bytes(Tokenizer.train((t for pair in train for t in pair), 8000, ["en", "es"]).model)
    tok = Tokenizer.from_file(tok_path)
    settings = TrainingSettings(model=PRESETS["shipped"], steps=a.steps)
    Run(settings, tok, a.checkpoint, a.state, acc).train(train, valid)


if __name__ == "__main__":
    main()
