import json
from pathlib import Path
from typing import Any

import pytest

from tests.training.conftest import tiny_settings
from tests.training.test_cli import ABOUT
from transformer.checkpoint import WEIGHTS, save_checkpoint
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.card import check_about_data, model_card, write_card
from transformer.training.evaluation import Scores
from transformer.training.score_table import Row, save_endings, save_scores, weights_digest
from transformer.training.settings import TrainingError

SETTINGS = tiny_settings(steps=200, noise=0.25, joined=0.5)


def validation(step: int, seconds: int, bleu: float) -> dict[str, float]:
    point = {"step": step, "seconds": seconds, "mean_bleu": bleu}
    for direction, more in (("es-en", 1.5), ("en-es", -1.5)):
        point |= {f"bleu_{direction}": bleu + more, f"chrf_{direction}": bleu + 20 + more}
    return point


@pytest.fixture
def checkpoint(tmp_path: Path, tokenizer: Tokenizer) -> Path:
    folder = tmp_path / "tiny-model"
    save_checkpoint(folder, Transformer(SETTINGS.model), tokenizer)
    (folder / "training.json").write_text(SETTINGS.to_json())
    points = [validation(50, 61, 10.0), validation(100, 120, 40.25), validation(150, 180, 39.0)]
    (folder / "curves.json").write_text(json.dumps({"training": [], "validation": points}))
    return folder


def table(digest: str) -> dict[str, Any]:
    def row(direction: str, kind: str, bleu: float, beam_size: int = 1, wanted: str = "first") -> dict[str, Any]:
        signature = "nrefs:1|tok:13a" if wanted == "first" else "nrefs:var|tok:13a"
        scores = Scores(bleu, bleu + 11, 77, signature, signature.replace("tok:13a", "nc:6"))
        return Row(direction, kind, beam_size, wanted, scores).to_dict()

    rows = []
    for direction, clean in (("es-en", 50.0), ("en-es", 40.0)):
        rows += [row(direction, "clean", clean), row(direction, "clean", clean + 9, 1, "all")]
        rows += [row(direction, "clean", clean + 1, 5), row(direction, "clean", clean + 10, 5, "all")]
        for index, kind in enumerate(
            ("lower case", "no accents", "no final punctuation", "no opening marks", "doubled spaces", "all of these")
        ):
            rows.append(row(direction, kind, clean - index / 4))
        for kind in ("joined by twos", "joined by threes"):
            rows += [row(direction, kind, clean - 5), row(direction, f"one by one, then {kind}", clean - 3.5)]
    heads = {"best": [0, 2], "trained": False, "accuracy": [[0.1, 0.2, 0.875, 0.3]], "types": 65, "words": 410}
    return {"pairs": 1223, "weights": digest, "rows": rows, "heads": heads}


def test_front_matter_and_sizes(checkpoint: Path) -> None:
    card = model_card(checkpoint)
    head = card.split("---\n")[1]
    assert head.startswith("language:\n- en\n- es\npipeline_tag: translation\n")
    assert "license" not in head
    parameters = Transformer(SETTINGS.model).num_parameters()
    assert card.split("---\n", 2)[2].startswith("\n# tiny-model\n")
    assert f"| parameters | {parameters:,} |" in card
    assert "| heads a layer | 4 |" in card
    assert "25% of the sources were made sloppy" not in card  # nothing is claimed of data that are not recorded
    assert "Not recorded." in card


def test_what_is_known_of_the_data(checkpoint: Path) -> None:
    (checkpoint / "data.json").write_text(json.dumps(ABOUT))
    card = model_card(checkpoint)
    assert "license: cc0-1.0\n" in card.split("---\n")[1]
    assert (
        "[Made up](https://example.org), licence [CC0](https://creativecommons.org/publicdomain/zero/1.0/)."
    ) in card
    assert 'Attribution: "nobody".' in card
    assert "25% of the sources were made sloppy" in card
    assert "50% of the pairs were joined" in card


def test_without_scores_the_best_validation_is_shown(checkpoint: Path) -> None:
    card = model_card(checkpoint)
    assert "as measured during training (step 100)" in card
    assert "| es-en | 41.75 | 61.75 |" in card
    assert "| en-es | 38.75 | 58.75 |" in card
    assert "those of step 100 of 200" in card
    assert "training stood at step 150" in card


def test_scores_of_these_weights(checkpoint: Path) -> None:
    save_scores(checkpoint, "valid", table(weights_digest(checkpoint)))
    card = model_card(checkpoint)
    assert "1,223 pairs" in card
    assert "| es-en | greedy | first | 77 | 50.00 | 61.00 |" in card
    assert "| en-es | beam 5 | all | 77 | 50.00 | 61.00 |" in card
    assert "BLEU `nrefs:1|tok:13a`" in card
    assert "`nrefs:var|tok:13a`" in card
    assert "| no opening marks | 49.25 (-0.75) | 39.25 (-0.75) |" in card
    assert "| joined by threes | 45.00 (-1.50) | 35.00 (-1.50) |" in card
    assert "layer 1, head 3 points best" in card
    assert "87.5 % of 65 word types (410 words)" in card
    assert "as measured during training" not in card


def test_scores_of_other_weights_are_not_shown(checkpoint: Path) -> None:
    save_scores(checkpoint, "valid", table("of another model"))
    card = model_card(checkpoint)
    assert "1,223 pairs" not in card
    assert "as measured during training" in card


def test_the_command_that_trains_it_again(checkpoint: Path) -> None:
    command = "python -m transformer.training --settings checkpoints/tiny-model/training.json --data FOLDER"
    assert command in model_card(checkpoint)


def test_an_aligned_head_is_told(checkpoint: Path) -> None:
    assert "trained to align" not in model_card(checkpoint)
    (checkpoint / "training.json").write_text(tiny_settings(steps=200, alignment=0.05).to_json())
    assert "layer 1, head 1 of the cross-attention was trained to align" in model_card(checkpoint)


def test_a_missing_file_is_named(checkpoint: Path) -> None:
    (checkpoint / "curves.json").unlink()
    with pytest.raises(TrainingError, match=r"needs .*curves\.json, which cannot be read"):
        write_card(checkpoint)
    assert (checkpoint / WEIGHTS).exists()


def test_about_data_must_be_whole() -> None:
    assert check_about_data(json.dumps(ABOUT)) == ABOUT
    with pytest.raises(TrainingError, match="must name, as text: attribution"):
        check_about_data(json.dumps({name: value for name, value in ABOUT.items() if name != "attribution"}))
    with pytest.raises(TrainingError, match="must name, as text: name, url"):
        check_about_data("[]")


def test_the_head_that_valid_chose_is_told_over_both_splits(checkpoint: Path) -> None:
    digest = weights_digest(checkpoint)
    together = {"best": [0, 2], "trained": False, "accuracy": [[0.1, 0.2, 0.912, 0.3]], "types": 99, "words": 700}
    save_scores(checkpoint, "test", table(digest) | {"heads_with_valid": together})
    assert "that valid chose, layer 1, head 3, reaches 91.2 % of 99 word types (700 words)." in model_card(checkpoint)


def test_runs_are_compared_by_what_was_set_and_what_it_gave(checkpoint: Path) -> None:
    first = tiny_settings(steps=100, noise=0.125)
    (checkpoint / "training.json").write_text(tiny_settings(steps=200, dropout=0.3, started_from=first).to_json())
    curves = json.loads((checkpoint / "curves.json").read_text())
    earlier = {"training": [], "validation": [validation(100, 600, 30.0)], "started_from": None}
    (checkpoint / "curves.json").write_text(json.dumps(curves | {"started_from": earlier}))
    card = model_card(checkpoint)
    assert "| run | 1 | 2 |" in card
    assert "| noise | 0.125 | 0.15 |" in card
    assert "| dropout | 0.1 | 0.3 |" in card
    assert "| es-en BLEU on valid.tsv | 31.50 | 41.75 |" in card
    assert "| minutes | 10 | 3 |" in card


def test_a_figure_and_notes_on_other_trials_are_shown_where_they_are_there(checkpoint: Path) -> None:
    assert "curves.svg" not in model_card(checkpoint)
    (checkpoint / "curves.svg").write_text("<svg/>")
    (checkpoint / "trials.md").write_text("## What else was tried\n\nNothing.\n")
    card = model_card(checkpoint)
    assert "](curves.svg)" in card
    assert "## What else was tried\n\nNothing.\n\n## Limits" in card


def test_endings_of_other_weights_are_not_shown(checkpoint: Path) -> None:
    counts = {"texts": 2_000, "ended": 1_900, "cut": 100, "longest": 128, "most_copies": 5}
    save_endings(checkpoint, {"corpus": counts, "random": counts})
    assert "| 1,000 of chance | 2,000 | 1,900 | 100 | 128 | 5 |" in model_card(checkpoint)
    save_checkpoint(checkpoint, Transformer(SETTINGS.model), Tokenizer.from_file(checkpoint / "tokenizer.model"))
    assert "of chance" not in model_card(checkpoint)
