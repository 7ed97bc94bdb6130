import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from accelerate.state import AcceleratorState
from safetensors.torch import load_file

from tests.training.conftest import VOCABULARY, made_up_pairs, write_pairs
from transformer.checkpoint import load_checkpoint
from transformer.training.cli import main
from transformer.training.data import read_pairs
from transformer.training.settings import TrainingSettings

REPOSITORY = Path(__file__).parents[2]
TINY = (
    f"--vocabulary {VOCABULARY} --d-model 16 --heads 2 --encoder-layers 1 --decoder-layers 2 --d-ff 32 --max-length 40 "
    "--steps 4 --batch-tokens 200 --warmup-steps 2 --validate-every 2 --precision fp32"
).split()
ABOUT = {
    "name": "Made up",
    "url": "https://example.org",
    "attribution": "nobody",
    "licence": "CC0",
    "licence_id": "cc0-1.0",
    "licence_url": "https://creativecommons.org/publicdomain/zero/1.0/",
}


def folders(root: Path) -> list[str]:
    return ["--data", str(root / "data"), "--checkpoint", str(root / "model"), "--state", str(root / "state")]


def write_data(root: Path) -> None:
    pairs = made_up_pairs(100)
    write_pairs(root / "data" / "train.tsv", pairs[:80])
    write_pairs(root / "data" / "valid.tsv", pairs[80:90])
    write_pairs(root / "data" / "test.tsv", pairs[90:])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with data, model and state of four steps."""
    root = tmp_path_factory.mktemp("trained")
    write_data(root)
    (root / "about.json").write_text(json.dumps(ABOUT))
    AcceleratorState._reset_state(reset_partial_state=True)
    assert main([*folders(root), *TINY, "--about-data", str(root / "about.json")]) == 0
    return root


def last_state(root: Path) -> dict[str, torch.Tensor]:
    return load_file(root / "state" / "step-00000004" / "model.safetensors")


def test_training_leaves_a_whole_checkpoint(trained: Path) -> None:
    model, tokenizer = load_checkpoint(trained / "model")
    config = model.config
    assert (config.d_model, config.num_heads, config.num_encoder_layers, config.num_decoder_layers) == (16, 2, 1, 2)
    assert (config.d_ff, config.max_length, config.source_vocab_size) == (32, 40, VOCABULARY)
    assert tokenizer.languages == ("en", "es")
    settings = TrainingSettings.from_json((trained / "model" / "training.json").read_text())
    assert (settings.steps, settings.batch_tokens, settings.warmup_steps, settings.precision) == (4, 200, 2, "fp32")
    curves = json.loads((trained / "model" / "curves.json").read_text())
    assert [point["step"] for point in curves["validation"]] == [2, 4]
    assert 'Attribution: "nobody".' in (trained / "model" / "README.md").read_text()


def test_the_settings_file_reproduces_the_weights(trained: Path, tmp_path: Path) -> None:
    write_data(tmp_path)
    assert main([*folders(tmp_path), "--settings", str(trained / "model" / "training.json")]) == 0
    ours, theirs = last_state(tmp_path), last_state(trained)
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())


def test_two_processes_learn_what_one_learns(tmp_path: Path) -> None:
    """On gloo; batches of one example leave the second process without any."""
    options = [*TINY, "--dropout", "0", "--batch-tokens", "30", "--steps", "4"]
    (tmp_path / "one").mkdir()
    write_data(tmp_path / "one")
    assert main([*folders(tmp_path / "one"), *options]) == 0
    (tmp_path / "two").mkdir()
    write_data(tmp_path / "two")
    launch = ["torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [sys.executable, "-m", *launch, "-m", "transformer.training", *folders(tmp_path / "two"), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "two" / "state" / "run.json").read_text())["processes"] == 2
    assert (tmp_path / "two" / "state" / "step-00000004" / "random_states_1.pkl").exists()
    one, two = last_state(tmp_path / "one"), last_state(tmp_path / "two")
    assert one.keys() == two.keys()
    for name, tensor in one.items():
        if not name.endswith(
            "key.bias"
        ):  # softmax is blind to it: its gradient is rounding alone, which AdamW blows up
            torch.testing.assert_close(tensor, two[name], atol=2e-5, rtol=0, msg=name)
    curves = [json.loads((tmp_path / each / "model" / "curves.json").read_text()) for each in ("one", "two")]
    assert curves[0]["training"][0]["loss"] == pytest.approx(curves[1]["training"][0]["loss"], abs=2e-4)


def test_init_from_starts_with_those_weights_and_that_tokenizer(trained: Path, tmp_path: Path) -> None:
    write_data(tmp_path)
    options = ["--init-from", str(trained / "model"), "--steps", "1", "--learning-rate", "1e-9", "--precision", "fp32"]
    assert main([*folders(tmp_path), *options]) == 0
    (before, tokenizer), (after, same) = (load_checkpoint(root / "model") for root in (trained, tmp_path))
    assert tokenizer.model == same.model
    for name, tensor in after.state_dict().items():
        torch.testing.assert_close(tensor, before.state_dict()[name], atol=1e-6, rtol=1e-3)


def test_one_file_trains_both_runs_of_a_checkpoint_that_went_on_from_another(trained: Path, tmp_path: Path) -> None:
    """The recorded settings of a second run hold those of the first, and give the same weights from nothing."""
    write_data(tmp_path)
    second = tmp_path / "model" / "training.json"
    options = [
        "--init-from",
        str(trained / "model"),
        "--steps",
        "3",
        "--precision",
        "fp32",
        "--seed",
        "7",
        "--dropout",
        "0.2",
    ]
    assert main([*folders(tmp_path), *options]) == 0
    recorded = json.loads(second.read_text())
    assert recorded["init_from"] is None
    assert recorded["started_from"] == json.loads((trained / "model" / "training.json").read_text())
    card = (tmp_path / "model" / "README.md").read_text()
    assert "| run | 1 | 2 |" in card
    assert "| dropout | 0.1 | 0.2 |" in card
    first, second_curves = (json.loads((each / "model" / "curves.json").read_text()) for each in (trained, tmp_path))
    assert second_curves["started_from"] == first
    again = tmp_path / "again"
    write_data(again)
    AcceleratorState._reset_state(reset_partial_state=True)
    assert main([*folders(again), "--settings", str(second)]) == 0
    for name, tensor in load_checkpoint(again / "model")[0].state_dict().items():
        torch.testing.assert_close(tensor, load_checkpoint(tmp_path / "model")[0].state_dict()[name], atol=0, rtol=0)
    assert json.loads((again / "model" / "training.json").read_text()) == recorded


def test_evaluate_writes_the_table_of_each_split(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--checkpoint", str(trained / "model"), "--data", str(trained / "data")]
    assert main(["evaluate", *where]) == 0
    assert "one by one, then joined by threes" in capsys.readouterr().out
    assert main(["evaluate", *where, "--split", "test"]) == 0
    scores = json.loads((trained / "model" / "scores.json").read_text())
    assert (scores["format"], scores["version"], list(scores["splits"])) == ("headlight-scores", 1, ["valid", "test"])
    table = scores["splits"]["test"]
    assert table["pairs"] == 10
    assert len(table["rows"]) == 28
    assert {row["direction"] for row in table["rows"]} == {"es-en", "en-es"}
    assert table["heads"]["best"][0] < 2
    assert table["heads"]["trained"] is False
    chosen, together = (
        scores["splits"][split][name] for split, name in (("valid", "heads"), ("test", "heads_with_valid"))
    )
    assert together["best"] == chosen["best"]
    assert together["words"] == chosen["words"] + table["heads"]["words"]
    card = (trained / "model" / "README.md").read_text()
    assert "### valid.tsv" in card
    assert "### test.tsv" in card


def test_endings_are_counted_and_told_in_the_card(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endings", "--checkpoint", str(trained / "model"), "--data", str(trained / "data")]) == 0
    told = capsys.readouterr().out
    assert "random: texts 2,000, ended " in told
    endings = json.loads((trained / "model" / "scores.json").read_text())["endings"]
    pairs = [pair for split in ("train", "valid") for pair in read_pairs(trained / "data" / f"{split}.tsv")]
    assert endings["corpus"]["texts"] == len({p.first for p in pairs}) + len({p.second for p in pairs})
    assert endings["corpus"]["ended"] + endings["corpus"]["cut"] == endings["corpus"]["texts"]
    assert "| 1,000 of chance | 2,000 | " in (trained / "model" / "README.md").read_text()


def test_help_explains_every_option_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    for each in fields(TrainingSettings):
        assert each.name in ("model", "started_from") or f"--{each.name.replace('_', '-')} " in text
    options = text[text.index("show this help") : text.index("See also:")].split(" --")[1:]
    assert len(options) > 25
    for option in options:
        assert "(default: " in option or "(required)" in option, option


def error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("learning the vocabulary")]
    assert len(told) == 1
    assert told[0].startswith("error: ")
    return told[0]


def test_missing_and_bad_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "train.tsv cannot be read: No such file" in error([*folders(tmp_path), *TINY], capsys)
    write_data(tmp_path)
    with (tmp_path / "data" / "valid.tsv").open("a") as file:
        file.write("no tab here\n")
    assert "valid.tsv, line 11: two columns" in error([*folders(tmp_path), *TINY], capsys)
    assert "valid.tsv, line 11: two columns" in error(
        ["evaluate", "--checkpoint", str(tmp_path), "--data", str(tmp_path / "data"), "--columns", "en", "es"], capsys
    )


def test_too_many_pieces_for_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    assert "no vocabulary of 8000 pieces" in error([*folders(tmp_path), *TINY, "--vocabulary", "8000"], capsys)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--steps", "5"], "is the state of another run, with steps 4 instead of 5"),
        (["--d-model", "32"], "d_model 16 instead of 32"),
        (["--seed", "7"], "seed 1 instead of 7"),
        (["--heads", "3"], "ModelConfig.num_heads must divide d_model"),
        (["--noise", "2"], "TrainingSettings.noise must lie in [0, 1]"),
        (["--columns", "en", "en"], "two different language codes"),
        (["--settings", "pyproject.toml"], "pyproject.toml: "),
        (["--init-from", "nowhere"], "leave out what sets source_vocab_size"),
        (["--about-data", "pyproject.toml"], "what is known about the data must be JSON"),
    ],
)
def test_options_that_do_not_fit(
    trained: Path, options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in error([*folders(trained), *TINY, *options], capsys)


def test_other_data_are_not_mixed_in(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    write_pairs(tmp_path / "data" / "train.tsv", made_up_pairs(79))
    arguments = [*folders(trained), *TINY, "--data", str(tmp_path / "data")]
    assert "is the state of another run, with other data" in error(arguments, capsys)


def test_a_finished_model_is_not_overwritten(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (trained / "model" / "model.safetensors").read_bytes()
    told = error([*folders(trained), *TINY, "--state", str(tmp_path / "fresh")], capsys)
    assert "already holds a model" in told
    assert (trained / "model" / "model.safetensors").read_bytes() == before
    assert not (tmp_path / "fresh").exists()


def test_evaluating_what_is_no_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    arguments = ["evaluate", "--checkpoint", str(tmp_path / "none"), "--data", str(tmp_path / "data")]
    assert "training.json is missing, so --columns must name" in error(arguments, capsys)
    assert "config.json cannot be read" in error([*arguments, "--columns", "en", "es"], capsys)


def test_evaluating_in_a_language_that_the_model_lacks(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--checkpoint", str(trained / "model"), "--data", str(trained / "data")]
    assert "does not translate into fr" in error(["evaluate", *where, "--columns", "en", "fr"], capsys)
