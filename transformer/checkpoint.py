"""Checkpoint folder <-> model: config.json, model.safetensors (fp16), tokenizer.model. No pickles."""

import json
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError

from transformer.config import ModelConfig
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.trace import Alignment, AlignmentHead

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.model"
#: What `python -m transformer.training evaluate` measured; a checkpoint works without it.
SCORES = "scores.json"


class CheckpointError(Exception):
    """A checkpoint folder cannot be used; the message names the file and the remedy."""


def save_checkpoint(folder: str | Path, model: Transformer, tokenizer: Tokenizer) -> None:
    """Write the three files; weights as fp16, tied ones once. Each file replaces the old one whole."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.to(torch.float16).contiguous() for name, tensor in _own_weights(model).items()}
    replace_file(folder / CONFIG, model.config.to_json().encode())
    replace_file(folder / WEIGHTS, safetensors.torch.save(weights))
    replace_file(folder / TOKENIZER, tokenizer.model)


def load_checkpoint(folder: str | Path) -> tuple[Transformer, Tokenizer]:
    """The model, in eval mode, float32, and its tokenizer. Raises CheckpointError."""
    folder = Path(folder)
    config = _load_config(folder / CONFIG)
    tokenizer = _load_tokenizer(folder / TOKENIZER, config)
    model = Transformer(config)
    load_weights(folder / WEIGHTS, model)
    return model.eval(), tokenizer


def load_alignment(folder: str | Path) -> Alignment | None:
    """None for a checkpoint that was not evaluated.

    Raises CheckpointError for scores that cannot be read, and for heads that the model in config.json has not.
    """
    path = Path(folder) / SCORES
    if not path.exists():
        return None
    try:
        report = json.loads(_read(path))["splits"].get("valid", {}).get("heads")
        if report is None:
            return None
        layer, head = report["best"]
        best = AlignmentHead(layer, head, report["accuracy"][layer][head], report["trained"])
        found = Alignment(best, tuple(tuple(row) for row in report["accuracy"]))
        _check_alignment(found, _load_config(Path(folder) / CONFIG))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{path} is no score table ({error!r}). Delete it, and evaluate again.") from error
    return found


def load_weights(path: Path, model: Transformer) -> None:
    """Fill the model from a weights file. Raises CheckpointError when names or shapes do not fit."""
    try:
        loaded = safetensors.torch.load(_read(path))
    except SafetensorError as error:
        raise CheckpointError(f"{path} is damaged or cut short ({error}). {_REMEDY}") from error
    own = _own_weights(model)
    if loaded.keys() != own.keys():
        name = sorted(loaded.keys() ^ own.keys())[0]
        lacks = "lacks" if name in own else "has the unknown tensor"
        raise CheckpointError(f"{path} {lacks} {name}, so it does not belong to {CONFIG} beside it. {_REMEDY}")
    for name, tensor in own.items():
        if loaded[name].shape != tensor.shape:
            found, wanted = tuple(loaded[name].shape), tuple(tensor.shape)
            raise CheckpointError(f"{path}: {name} is {found}, but {CONFIG} beside it says {wanted}. {_REMEDY}")
        tensor.copy_(loaded[name])


def _check_alignment(found: Alignment, config: ModelConfig) -> None:
    """Raises ValueError."""
    best = found.best
    for name, value, count in (
        ("layer", best.layer, config.num_decoder_layers),
        ("head", best.head, config.num_heads),
    ):
        if type(value) is not int or not 0 <= value < count:
            raise ValueError(f"the best {name} must be 0 to {count - 1}, not {value!r}")
    for share in (best.accuracy, *(share for row in found.accuracy for share in row)):
        if type(share) not in (int, float) or not 0 <= share <= 1:
            raise ValueError(f"accuracy must be a share from 0 to 1, not {share!r}")
    if [len(row) for row in found.accuracy] != [config.num_heads] * config.num_decoder_layers:
        raise ValueError(f"accuracy must be {config.num_decoder_layers} rows of {config.num_heads} heads")
    if type(best.trained) is not bool:
        raise ValueError(f"trained must be true or false, not {best.trained!r}")


_REMEDY = "Fetch the checkpoint folder again, whole, or train it anew: see 'Training' in the README."


def _own_weights(model: Transformer) -> dict[str, torch.Tensor]:
    """Every parameter by name, one that serves several places under its first name alone."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def _load_config(path: Path) -> ModelConfig:
    try:
        return ModelConfig.from_json(_read(path).decode())
    except ValueError as error:
        raise CheckpointError(f"{path} is no model config: {error}. {_REMEDY}") from error


def _load_tokenizer(path: Path, config: ModelConfig) -> Tokenizer:
    try:
        tokenizer = Tokenizer(_read(path))
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}. {_REMEDY}") from error
    sizes = {config.source_vocab_size, config.target_vocab_size}
    if sizes != {tokenizer.vocab_size} or tokenizer.padding_id != config.padding_id:
        raise CheckpointError(
            f"{path} has {tokenizer.vocab_size} pieces and padding id {tokenizer.padding_id}, "
            f"but {CONFIG} beside it says {sorted(sizes)} and {config.padding_id}. {_REMEDY}"
        )
    return tokenizer


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read ({error.strerror}). {_REMEDY}") from error


def replace_file(path: Path, content: bytes) -> None:
    """Write beside, then rename: a reader, or a killed writer, never leaves half a file."""
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    beside.replace(path)
