"""Checkpoints: exact there and back, and a clear word about every damage."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from tests.transformer.conftest import PAIRS, tiny_model
from transformer.checkpoint import (
    CONFIG,
    SCORES,
    TOKENIZER,
    WEIGHTS,
    CheckpointError,
    load_alignment,
    load_checkpoint,
    save_checkpoint,
)
from transformer.tokenizer import Tokenizer
from transformer.trace import Alignment, AlignmentHead

REMEDY = "Fetch the checkpoint folder again, whole, or train it anew"


@pytest.fixture
def folder(checkpoint: Path, tmp_path: Path) -> Path:
    """A copy that a test may harm."""
    return Path(shutil.copytree(checkpoint, tmp_path / "harmed"))


def refused(folder: Path, name: str, *words: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(folder)
    message = str(caught.value)
    assert message.startswith(str(folder / name))
    assert REMEDY in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("shared", [True, False])
def test_weights_that_fp16_can_hold_come_back_exactly(tmp_path: Path, tokenizer: Tokenizer, shared: bool) -> None:
    model = tiny_model(share_embeddings=shared, tie_output=shared)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    save_checkpoint(tmp_path / "new" / "folder", model, tokenizer)
    loaded, its_tokenizer = load_checkpoint(tmp_path / "new" / "folder")
    assert loaded.config == model.config
    assert its_tokenizer.model == tokenizer.model
    assert not loaded.training
    for (name, ours), (its_name, theirs) in zip(model.named_parameters(), loaded.named_parameters(), strict=True):
        assert name == its_name
        assert theirs.dtype == torch.float32
        assert torch.equal(ours, theirs)
    assert (loaded.projection.weight is loaded.target_embedding.tokens.weight) == shared
    source, target = torch.tensor([[4, 9, 3]]), torch.tensor([[2, 8]])
    assert torch.equal(loaded(source, target), model(source, target))


def test_weights_lie_on_disk_as_fp16_and_shared_ones_once(tmp_path: Path, tokenizer: Tokenizer) -> None:
    model = tiny_model(share_embeddings=True, tie_output=True)
    save_checkpoint(tmp_path, model, tokenizer)
    stored = safetensors.torch.load_file(tmp_path / WEIGHTS)
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    assert sum(tensor.numel() for tensor in stored.values()) == model.num_parameters()


def test_saving_replaces_and_leaves_nothing_beside(folder: Path, tokenizer: Tokenizer) -> None:
    model = tiny_model(seed=9)
    save_checkpoint(folder, model, tokenizer)
    assert sorted(path.name for path in folder.iterdir()) == sorted([CONFIG, TOKENIZER, WEIGHTS])
    loaded, _ = load_checkpoint(folder)
    assert torch.equal(loaded.projection.bias, model.projection.bias.half().float())


def test_a_missing_folder_names_its_first_file(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", CONFIG, "No such file or directory")


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, TOKENIZER])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refused(folder, name, "cannot be read (No such file or directory)")


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, TOKENIZER])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_file_cut_short_is_named(folder: Path, name: str, part: float) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(part * len(content))])
    refused(folder, name)


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, TOKENIZER])
def test_a_file_of_junk_is_named(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\x00\xff version https://git-lfs" * 40)
    refused(folder, name)


def test_a_directory_in_a_files_place_is_named(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()
    refused(folder, WEIGHTS, "Is a directory")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d_ff": 32}, ["feed_forward.expand.weight is (24, 16)", "says (32, 16)"]),
        ({"num_decoder_layers": 3}, ["lacks decoder.layers.2."]),
        ({"num_encoder_layers": 2}, ["has the unknown tensor encoder.layers.2."]),
        ({"attention_bias": False}, ["has the unknown tensor", "bias"]),
        ({"share_embeddings": False}, ["lacks target_embedding.tokens.weight"]),
    ],
)
def test_weights_of_another_config_are_refused(folder: Path, change: dict[str, object], words: list[str]) -> None:
    values = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(values | change))
    refused(folder, WEIGHTS, *words)


def test_a_config_that_cannot_work_is_refused(folder: Path) -> None:
    values = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(values | {"num_heads": 5}))
    refused(folder, CONFIG, "ModelConfig.num_heads must divide d_model")


def test_a_config_nested_too_deeply_is_refused(folder: Path) -> None:
    (folder / CONFIG).write_text('{"a":' * 100_000)
    refused(folder, CONFIG, "nested too deeply")


def test_another_vocabulary_is_refused(folder: Path) -> None:
    other = Tokenizer.train([text for pair in PAIRS for text in pair], 180, ["en", "es"])
    (folder / TOKENIZER).write_bytes(other.model)
    refused(folder, TOKENIZER, "180 pieces", "[200]")


def test_another_padding_id_is_refused(folder: Path) -> None:
    values = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(values | {"padding_id": 7}))
    refused(folder, TOKENIZER, "padding id 0", "says [200] and 7")


def test_one_tensor_of_another_shape_is_named(folder: Path) -> None:
    stored = safetensors.torch.load_file(folder / WEIGHTS)
    stored["decoder.norm.bias"] = torch.zeros(3)
    safetensors.torch.save_file(stored, folder / WEIGHTS)
    refused(folder, WEIGHTS, "decoder.norm.bias is (3,)", "says (16,)")


#: Two decoder layers of four heads, as the model in the checkpoint has them.
HEADS = {"best": [1, 3], "accuracy": [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]], "trained": True}


def write_scores(folder: Path, heads: object) -> None:
    (folder / SCORES).write_text(json.dumps({"splits": {"valid": {"heads": heads}}}))


def test_the_alignment_head_is_the_best_one_of_valid(folder: Path) -> None:
    assert load_alignment(folder) is None
    write_scores(folder, HEADS)
    table = ((0.1, 0.2, 0.3, 0.4), (0.5, 0.6, 0.7, 0.8))
    assert load_alignment(folder) == Alignment(AlignmentHead(1, 3, 0.8, True), table)
    write_scores(folder, None)
    assert load_alignment(folder) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"best": [2, 0], "accuracy": [[0.5] * 4] * 3}, "the best layer must be 0 to 1, not 2"),
        ({"best": [0, 4], "accuracy": [[0.5] * 5] * 2}, "the best head must be 0 to 3, not 4"),
        ({"best": [-1, 0]}, "the best layer must be 0 to 1, not -1"),
        ({"best": [0, True]}, "the best head must be 0 to 3, not True"),
        ({"best": [0, 1.0]}, "TypeError"),
        ({"best": [0]}, "ValueError"),
        ({"best": None}, "TypeError"),
        ({"accuracy": "x"}, "IndexError"),
        ({"accuracy": ["abcd", "efgh"]}, "accuracy must be a share from 0 to 1, not 'h'"),
        ({"accuracy": [[True] * 4] * 2}, "not True"),
        ({"accuracy": [[1.5] * 4] * 2}, "not 1.5"),
        ({"accuracy": [[float("nan")] * 4] * 2}, "not nan"),
        ({"accuracy": [[0.5, 2, 0.5, 0.5], [0.5] * 4]}, "not 2"),
        ({"accuracy": [[0.5] * 4] * 3}, "accuracy must be 2 rows of 4 heads"),
        ({"accuracy": [[0.5] * 3, [0.5] * 4]}, "accuracy must be 2 rows of 4 heads"),
        ({"trained": "q"}, "trained must be true or false, not 'q'"),
        ({"trained": 1}, "trained must be true or false, not 1"),
    ],
)
def test_an_alignment_head_that_cannot_be_is_refused(folder: Path, change: dict[str, Any], said: str) -> None:
    write_scores(folder, HEADS | change)
    scores_refused(folder, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [("[" * 100_000, "RecursionError"), ("{", "JSONDecodeError"), ("[]", "TypeError"), ('{"splits": 3}', "Attribute")],
)
def test_scores_that_are_no_table_are_refused(folder: Path, text: str, said: str) -> None:
    (folder / SCORES).write_text(text)
    scores_refused(folder, said)


def scores_refused(folder: Path, said: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_alignment(folder)
    assert str(caught.value).startswith(f"{folder / SCORES} is no score table (")
    assert said in str(caught.value)
    assert str(caught.value).endswith("Delete it, and evaluate again.")
