"""The figure of the training curves shows what curves.json holds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D

from viz.figures.curves import curves_figure, main


def point(step: int, bleu: float) -> dict[str, float]:
    return {"step": step, "seconds": step, "mean_bleu": bleu, "bleu_es-en": bleu + 3, "bleu_en-es": bleu - 3}


def points(line: Line2D) -> list[list[float]]:
    return np.column_stack([line.get_xdata(), line.get_ydata()]).tolist()


FIRST: dict[str, Any] = {
    "training": [{"step": 50, "loss": 7.5}, {"step": 100, "loss": 4.0}],
    "validation": [point(50, 10.0), point(100, 20.0)],
    "started_from": None,
}
SECOND: dict[str, Any] = {
    "training": [{"step": 50, "loss": 3.0}],
    "validation": [point(50, 30.0)],
    "started_from": FIRST,
}


def test_runs_stand_one_behind_the_other_with_their_own_values() -> None:
    above, below = curves_figure(SECOND).axes
    losses = [points(line) for line in above.lines if line.get_linestyle() == "-"]
    assert losses == [[[50, 7.5], [100, 4.0]], [[150, 3.0]]]
    by_label = {line.get_label(): points(line) for line in below.lines}
    assert by_label["es-en"] == [[50, 13.0], [100, 23.0]]
    assert by_label["en-es"] == [[50, 7.0], [100, 17.0]]
    assert [[150.0, 33.0]] in [points(line) for line in below.lines]
    assert below.get_xlabel().startswith("optimizer steps")
    assert (above.get_ylabel(), below.get_ylabel()) == ("nats a token", "BLEU")


def test_the_command_writes_the_figure_beside_the_curves(tmp_path: Path) -> None:
    (tmp_path / "curves.json").write_text(json.dumps(SECOND))
    main([str(tmp_path)])
    svg = (tmp_path / "curves.svg").read_text()
    assert "Training loss" in svg
    assert "es-en" in svg


@pytest.mark.parametrize("text", ["", "[]", '{"training": []}'])
def test_what_is_no_curves_file_is_named(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "curves.json").write_text(text)
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "curves.json does not hold the curves of a training" in capsys.readouterr().err
