"""The state folder: all that a killed run needs to go on as if nothing had happened.

state/run.json         whose state this is: settings, data, processes
state/tokenizer.model  learned once, at the first start
state/step-00001234/   the newest whole state: Accelerate's files and position.json
"""

import hashlib
import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from accelerate import Accelerator

from transformer.checkpoint import replace_file
from transformer.training.data import Pair
from transformer.training.settings import TrainingError, TrainingSettings

# It warns at every save that the tied embedding is written once, as it should be.
logging.getLogger("accelerate.utils.other").setLevel(logging.ERROR)

_RUN, _POSITION = "run.json", "position.json"

Curves = dict[str, list[dict[str, float]]]


@dataclass
class Position:
    """Where a run stands, apart from weights, optimizer and random generators."""

    step: int = 0
    #: Seconds of training so far, validation and earlier sittings included.
    seconds: float = 0.0
    #: The present epoch, and the step at which it began.
    epoch: int = 0
    epoch_start: int = 0
    #: Summed loss in nats and tokens since the last point of the training curve.
    loss_sum: float = 0.0
    tokens: int = 0
    curves: Curves = field(default_factory=lambda: {"training": [], "validation": []})


def identity(settings: TrainingSettings, data: Sequence[Sequence[Pair]], processes: int) -> dict[str, Any]:
    """What must be equal for a state to be gone on with: else the curve would be that of neither run."""
    digest = hashlib.sha256()
    for pairs in data:
        digest.update("\n".join("\t".join(pair) for pair in pairs).encode() + b"\0")
    whole = asdict(settings) | {"columns": list(settings.columns)}
    model = whole.pop("model")
    whole.pop("started_from")  # init_from is where it led to
    return model | whole | {"data": digest.hexdigest(), "processes": processes}


class StateFolder:
    """One run's state on disk. With several machines it must lie on a disk that all of them see."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.model"

    def exists(self) -> bool:
        return (self.folder / _RUN).exists()

    def claim(self, who: dict[str, Any]) -> None:
        """Make the folder this run's. Raises TrainingError when it is another's."""
        if not self.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / _RUN, (json.dumps(who, indent=2) + "\n").encode())
            return
        owner = json.loads((self.folder / _RUN).read_text())
        for name in sorted(owner.keys() | who.keys()):
            there, here = owner.get(name), who.get(name)
            if there != here:
                difference = "other data" if name == "data" else f"{name} {there!r} instead of {here!r}"
                raise TrainingError(
                    f"{self.folder} is the state of another run, with {difference}. "
                    "Start it as it was started, or name another folder by --state."
                )

    def save(self, accelerator: Accelerator, position: Position) -> None:
        """Write the new state under another name, then rename it: a kill at any moment leaves a whole one."""
        final = self._step(position.step)
        fresh = final.with_suffix(".new")
        if accelerator.is_main_process:
            shutil.rmtree(fresh, ignore_errors=True)
        accelerator.wait_for_everyone()
        accelerator.save_state(str(fresh))
        accelerator.wait_for_everyone()  # each process has written its random generator
        if accelerator.is_main_process:
            (fresh / _POSITION).write_text(json.dumps(asdict(position)))
            fresh.rename(final)
            for other in self.folder.glob("step-*"):
                if other != final:
                    shutil.rmtree(other)
        accelerator.wait_for_everyone()

    def load(self, accelerator: Accelerator) -> Position:
        """The newest whole state into model, optimizer and generators; the beginning where there is none."""
        whole = sorted(path for path in self.folder.glob("step-*") if not path.suffix)
        if not whole:
            return Position()
        accelerator.load_state(str(whole[-1]))
        return Position(**json.loads((whole[-1] / _POSITION).read_text()))

    def _step(self, step: int) -> Path:
        return self.folder / f"step-{step:08d}"
