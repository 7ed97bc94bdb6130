"""One tiny training in a process of its own, to be killed: `python -m tests.training.one_run FOLDER`."""

import sys
from pathlib import Path

from accelerate import Accelerator

from tests.training.conftest import made_up_pairs
from transformer.tokenizer import Tokenizer
from transformer.training.loop import Run
from transformer.training.settings import TrainingSettings
from transformer.training.state import StateFolder, identity


def main(folder: Path) -> None:
    settings = TrainingSettings.from_json((folder / "settings.json").read_text())
    pairs = made_up_pairs(60)
    texts = (text for pair in made_up_pairs(200) for text in pair)
    tokenizer = Tokenizer.train(texts, settings.model.source_vocab_size, settings.columns)
    state = StateFolder(folder / "state")
    state.claim(identity(settings, (pairs, pairs[:4]), 1))
    accelerator = Accelerator(cpu=True, mixed_precision="no")
    Run(settings, tokenizer, folder / "checkpoint", state, accelerator).train(pairs, pairs[:4], save_every=0.0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
