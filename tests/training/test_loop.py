import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from tests.training.conftest import MakeRun, made_up_pairs, tiny_settings
from transformer.checkpoint import WEIGHTS, load_checkpoint
from transformer.tokenizer import Tokenizer
from transformer.training.data import Example, Pair
from transformer.training.evaluation import translate_all
from transformer.training.loop import CURVES, SETTINGS, Objective
from transformer.training.settings import TrainingError, TrainingSettings

REPOSITORY = Path(__file__).parents[2]


class KilledError(Exception):
    """Stands for a process that ends here."""


def weights(folder: Path) -> dict[str, Tensor]:
    """Of the newest state."""
    return load_file(next((folder / "state").glob("step-????????")) / "model.safetensors")


def curves(folder: Path) -> dict[str, Any]:
    """Without the seconds, which no two runs share."""
    whole = json.loads((folder / "checkpoint" / CURVES).read_text())
    for point in whole["validation"]:
        del point["seconds"]
    return dict(whole)


def assert_same(folder: Path, other: Path) -> None:
    assert curves(folder) == curves(other)
    ours, theirs = weights(folder), weights(other)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name


#: Everything that draws by chance is on.
CHANCE = tiny_settings(dropout=0.2, noise=0.3, joined=0.2, sampled=0.3, batch_tokens=600)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer, pairs: list[Pair]) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    in_a_process(folder, CHANCE).wait()
    assert curves(folder)["validation"][-1]["step"] == CHANCE.steps
    return folder


def in_a_process(folder: Path, settings: TrainingSettings) -> subprocess.Popen[bytes]:
    """tests/training/one_run.py, which saves its state at every step, on the same pairs and tokenizer."""
    (folder / "settings.json").write_text(settings.to_json())
    command = [sys.executable, "-m", "tests.training.one_run", str(folder)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.DEVNULL)


def test_killed_process_resumes_to_the_same_curve(tmp_path: Path, uninterrupted: Path) -> None:
    process = in_a_process(tmp_path, CHANCE)
    while process.poll() is None and not list((tmp_path / "state").glob("step-0000000[3-9]")):
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    assert in_a_process(tmp_path, CHANCE).wait() == 0
    assert_same(tmp_path, uninterrupted)


@pytest.mark.parametrize("method", ["_update", "_validate"])
@pytest.mark.parametrize("call", [1, 2])
def test_stopped_anywhere_resumes_to_the_same_curve(
    tmp_path: Path,
    make_run: MakeRun,
    pairs: list[Pair],
    uninterrupted: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    call: int,
) -> None:
    run = make_run(tmp_path, CHANCE)
    _die_after(monkeypatch, run, method, call)
    with pytest.raises(KilledError):
        run.train(pairs, pairs[:4], save_every=0.0)
    make_run(tmp_path, CHANCE).train(pairs, pairs[:4], save_every=math.inf)
    assert_same(tmp_path, uninterrupted)


def _die_after(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int, before: bool = False) -> None:
    """End the run after, or just before, a function does its work for the nth time."""
    original, calls = getattr(owner, name), []

    def dying(*arguments: Any, **named: Any) -> Any:
        calls.append(name)
        if before and len(calls) == call:
            raise KilledError
        result = original(*arguments, **named)
        if len(calls) == call:
            raise KilledError
        return result

    monkeypatch.setattr(owner, name, dying)


def test_killed_while_the_state_is_written(
    tmp_path: Path, make_run: MakeRun, pairs: list[Pair], uninterrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the new state has its name, and again before the old one is gone."""
    for module, name in ((Path, "rename"), (shutil, "rmtree")):
        run = make_run(tmp_path, CHANCE)
        _die_after(monkeypatch, module, name, 3, before=True)
        with pytest.raises(KilledError):
            run.train(pairs, pairs[:4], save_every=0.0)
        monkeypatch.undo()
    make_run(tmp_path, CHANCE).train(pairs, pairs[:4], save_every=0.0)
    assert_same(tmp_path, uninterrupted)
    assert len(list((tmp_path / "state").glob("step-*"))) == 1


def test_a_finished_run_has_nothing_to_do(tmp_path: Path, make_run: MakeRun, pairs: list[Pair]) -> None:
    settings = tiny_settings(steps=2)
    make_run(tmp_path, settings).train(pairs, pairs[:4])
    before = (tmp_path / "checkpoint" / CURVES).read_bytes()
    make_run(tmp_path, settings).train(pairs, pairs[:4])
    assert (tmp_path / "checkpoint" / CURVES).read_bytes() == before


def test_curve_points_are_means_over_their_stretch(
    tmp_path: Path, make_run: MakeRun, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer.training.loop._CURVE_STEPS", 4)
    run = make_run(tmp_path, tiny_settings(steps=6, validate_every=100))
    told: list[tuple[float, int]] = []
    original = run._update

    def update(batch: list[Example]) -> int:
        before = run.position.loss_sum
        count = original(batch)
        told.append((run.position.loss_sum - before, count))
        return count

    monkeypatch.setattr(run, "_update", update)
    run.train(pairs, pairs[:4])
    wanted = [
        {"step": end, "loss": pytest.approx(sum(x for x, _ in part) / sum(n for _, n in part), abs=1e-4)}
        for end, part in ((4, told[:4]), (6, told[4:]))
    ]
    assert run.position.curves["training"] == wanted


def test_best_is_kept(tmp_path: Path, make_run: MakeRun, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    from transformer.training.evaluation import Scores

    bleu = iter([10.0, 30.0, 20.0])

    def scores(*_: object) -> dict[str, Scores]:
        value = next(bleu)
        return {"es-en": Scores(value, 1.0, 4, "", ""), "en-es": Scores(value + 2, 1.0, 4, "", "")}

    monkeypatch.setattr("transformer.training.loop.score_both", scores)
    run = make_run(tmp_path, tiny_settings(steps=6, validate_every=2))
    kept: list[int] = []
    monkeypatch.setattr("transformer.training.loop.save_checkpoint", lambda *_: kept.append(run.position.step))
    (tmp_path / "checkpoint").mkdir()
    run.train(pairs, pairs[:4])
    assert kept == [2, 4]
    assert [point["mean_bleu"] for point in run.position.curves["validation"]] == [11.0, 31.0, 21.0]
    assert TrainingSettings.from_json((tmp_path / "checkpoint" / SETTINGS).read_text()) == run.settings


def test_a_run_that_stops_early_did_what_the_whole_one_had_done_by_then(
    tmp_path: Path, make_run: MakeRun, pairs: list[Pair]
) -> None:
    whole = make_run(tmp_path / "whole", tiny_settings(steps=10, validate_every=6))
    whole.train(pairs, pairs[:4])
    short = make_run(tmp_path / "short", tiny_settings(steps=10, validate_every=6, stop_after=6))
    short.train(pairs, pairs[:4])
    assert short.position.step == 6
    (point,) = short.position.curves["validation"]
    assert point | {"seconds": 0} == whole.position.curves["validation"][0] | {"seconds": 0}
    assert tiny_settings(steps=10).last_step == 10


def test_learning_rate_rises_and_falls_to_zero(tmp_path: Path, make_run: MakeRun) -> None:
    run = make_run(tmp_path, tiny_settings(steps=10, warmup_steps=4, learning_rate=0.1))
    rates = []
    for run.position.step in range(10):
        rates.append(round(run._learning_rate(), 6))
    assert rates == pytest.approx(
        [0.025, 0.05, 0.075, 0.1, 0.1, 0.083333, 0.066667, 0.05, 0.033333, 0.016667], abs=1e-6
    )


def test_diverged_training_stops_with_the_weights_unharmed(
    tmp_path: Path, make_run: MakeRun, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []
    forward = Objective.forward

    def exploding(self: Objective, *inputs: Any) -> tuple[Tensor, Tensor]:
        calls.append(None)
        loss, misaligned = forward(self, *inputs)
        return (loss * math.inf if len(calls) == 3 else loss), misaligned

    monkeypatch.setattr(Objective, "forward", exploding)
    run = make_run(tmp_path, tiny_settings(steps=6))
    with pytest.raises(TrainingError, match=r"step 3 gave a loss of inf .* lower --learning-rate"):
        run.train(pairs, pairs[:4])
    assert all(parameter.isfinite().all() for parameter in run.model.parameters())


def test_pairs_that_are_all_too_long_are_told(tmp_path: Path, make_run: MakeRun) -> None:
    run = make_run(tmp_path, tiny_settings(max_length=4))
    with pytest.raises(TrainingError, match="every pair is longer than max_length, 4 tokens"):
        run.train(made_up_pairs(5), made_up_pairs(2))


def test_resuming_wants_the_folder_of_the_best_weights(tmp_path: Path, make_run: MakeRun, pairs: list[Pair]) -> None:
    make_run(tmp_path, tiny_settings(steps=2)).train(pairs, pairs[:4])
    (tmp_path / "checkpoint" / WEIGHTS).unlink()
    with pytest.raises(TrainingError, match="lacks the best weights so far"):
        make_run(tmp_path, tiny_settings(steps=2)).train(pairs, pairs[:4])


def test_overfits_200_pairs_completely(tmp_path: Path, make_run: MakeRun, tokenizer: Tokenizer) -> None:
    pairs = made_up_pairs(200)
    settings = tiny_settings(
        d_model=64, d_ff=128, dropout=0.0, label_smoothing=0.0, noise=0.0, joined=0.0, sampled=0.0,
        steps=500, batch_tokens=600, warmup_steps=40, learning_rate=5e-3, validate_every=1000,
    )  # fmt: skip
    make_run(tmp_path, settings).train(pairs, pairs[:2], save_every=math.inf)
    model, _ = load_checkpoint(tmp_path / "checkpoint")
    assert translate_all(model, tokenizer, [pair.first for pair in pairs], "es") == [pair.second for pair in pairs]
    assert translate_all(model, tokenizer, [pair.second for pair in pairs], "en") == [pair.first for pair in pairs]
