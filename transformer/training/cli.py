"""What a user types, `python -m transformer.training [evaluate | endings | card] ...`, and reads when it goes wrong."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs

from transformer.checkpoint import CONFIG, SCORES, TOKENIZER, WEIGHTS, CheckpointError, replace_file
from transformer.config import PRESETS, ModelConfig
from transformer.tokenizer import Tokenizer
from transformer.training.card import ABOUT_DATA, CARD, check_about_data, write_card
from transformer.training.data import Pair, read_pairs
from transformer.training.endings import endings_report
from transformer.training.loop import SETTINGS, Run
from transformer.training.score_table import as_text, load_translator, save_endings, save_scores, score_split
from transformer.training.settings import DROPOUTS, PRECISIONS, TrainingError, TrainingSettings
from transformer.training.state import StateFolder, identity

_PROGRAM = "python -m transformer.training"
_DEFAULT_CHECKPOINT = Path("checkpoints/es-en")
_DEFAULT_MODEL = PRESETS["shipped"]

#: Option -> the fields of ModelConfig that it sets, and what it means.
_MODEL_OPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "vocabulary": (("source_vocab_size", "target_vocab_size"), "pieces of the vocabulary that both languages share"),
    "d-model": (("d_model",), "width of the model"),
    "heads": (("num_heads",), "attention heads of a layer; they divide d-model"),
    "encoder-layers": (("num_encoder_layers",), "layers of the encoder"),
    "decoder-layers": (("num_decoder_layers",), "layers of the decoder"),
    "d-ff": (("d_ff",), "inner width of the feed-forward network"),
    "max-length": (("max_length",), "longest source and target in tokens; longer pairs are left out"),
    "dropout": (("dropout",), "dropout after embeddings and sublayers"),
    "attention-dropout": (("attention_dropout",), "dropout on attention weights"),
    "feed-forward-dropout": (("feed_forward_dropout",), "dropout inside the feed-forward network"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 with a sentence on stderr for what the user can mend; 130 for Ctrl-C."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    commands = {
        "evaluate": (_evaluate_parser, evaluate),
        "endings": (_endings_parser, endings),
        "card": (_card_parser, card),
    }
    if given and given[0] in commands:
        make_parser, command = commands[given.pop(0)]
    else:
        make_parser, command = _train_parser, train
    options = make_parser().parse_args(given)
    try:
        command(options)
    except (TrainingError, CheckpointError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from the last saved state.", file=sys.stderr)
        return 130
    return 0


def train(options: argparse.Namespace) -> None:
    """Train, or go on with, the model that the options describe. Raises TrainingError and CheckpointError."""
    with _faults_as_errors():
        settings = settings_from(options)
        train_pairs, valid_pairs = (read_pairs(options.data / f"{split}.tsv") for split in ("train", "valid"))
    about = None if options.about_data is None else _about_data(options.about_data)
    accelerator = Accelerator(
        cpu=not torch.accelerator.is_available(),  # or several processes would not find each other
        mixed_precision="bf16" if settings.precision == "bf16" else "no",
        kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(hours=2))],  # others wait while one validates
    )
    _run(settings, options.checkpoint, options.state, (train_pairs, valid_pairs), accelerator)
    if accelerator.is_main_process:
        _finish(options.checkpoint, about)


def _run(
    settings: TrainingSettings,
    checkpoint: Path,
    folder: Path,
    data: tuple[list[Pair], list[Pair]],
    accelerator: Accelerator,
) -> None:
    """One run, after the one that it starts from if that is still to be made."""
    if settings.started_from is not None and settings.init_from is None:
        earlier = folder / "started-from"
        _run(settings.started_from, earlier / "checkpoint", earlier, data, accelerator)
        settings = replace(settings, init_from=str(earlier / "checkpoint"))
    state = StateFolder(folder)
    if accelerator.is_main_process:
        _open_state(state, checkpoint, settings, data, accelerator.num_processes)
    accelerator.wait_for_everyone()
    Run(settings, Tokenizer.from_file(state.tokenizer), checkpoint, state, accelerator).train(*data)


def evaluate(options: argparse.Namespace) -> None:
    """Score a checkpoint, print the table, and put it into scores.json and the model card."""
    with _faults_as_errors():
        columns = tuple(options.columns or _recorded_columns(options.checkpoint))
        pairs = read_pairs(options.data / f"{options.split}.tsv")
        valid_pairs = read_pairs(options.data / "valid.tsv") if options.split == "test" else None
    table = score_split(options.checkpoint, pairs, columns, valid_pairs)
    save_scores(options.checkpoint, options.split, table)
    print(as_text(table))
    print(f"written to {options.checkpoint / SCORES}")
    card(options)


def endings(options: argparse.Namespace) -> None:
    """Count how decoding ends, and put it into scores.json and the model card."""
    with _faults_as_errors():
        columns = tuple(options.columns or _recorded_columns(options.checkpoint))
        pairs = [pair for split in ("train", "valid") for pair in read_pairs(options.data / f"{split}.tsv")]
    report = endings_report(load_translator(options.checkpoint, columns), pairs, columns)
    save_endings(options.checkpoint, report)
    for name, counts in report.items():
        print(f"{name}: " + ", ".join(f"{what.replace('_', ' ')} {count:,}" for what, count in counts.items()))
    card(options)


def card(options: argparse.Namespace) -> None:
    """Write the model card anew."""
    with _faults_as_errors():
        _finish(options.checkpoint, None if options.about_data is None else _about_data(options.about_data))


def settings_from(options: argparse.Namespace) -> TrainingSettings:
    """What --settings holds, or the defaults, with every option that was given in its place. Raises ValueError."""
    if options.settings is None:
        settings = TrainingSettings(model=_DEFAULT_MODEL, precision=good_precision())
    else:
        try:
            settings = TrainingSettings.from_json(options.settings.read_text(encoding="utf-8"))
        except ValueError as error:
            raise TrainingError(f"{options.settings}: {error}") from error
    given = {name: value for name, value in vars(options).items() if value is not None}
    changes: dict[str, Any] = {each.name: given[each.name] for each in fields(TrainingSettings) if each.name in given}
    if "columns" in changes:
        changes["columns"] = tuple(changes["columns"])
    changes["model"] = _model_from(given, settings)
    if "init_from" in given:
        changes["started_from"] = _recorded_settings(Path(given["init_from"]))
    return replace(settings, **changes)


def good_precision() -> str:
    """bf16 where the GPU, or without one the processor, multiplies it in hardware; else fp32."""
    if torch.cuda.is_available():
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    processor = Path("/proc/cpuinfo")  # elsewhere than on Linux there is no simple way to ask
    known = processor.read_text() if processor.exists() else ""
    return "bf16" if "avx512_bf16" in known or "amx_bf16" in known else "fp32"


def _model_from(given: dict[str, Any], settings: TrainingSettings) -> ModelConfig:
    sizes = {
        field: given[option.replace("-", "_")]
        for option, (names, _) in _MODEL_OPTIONS.items()
        if option.replace("-", "_") in given
        for field in names
    }
    if "init_from" not in given:
        return replace(settings.model, **sizes)
    if fixed := [name for name in sizes if name not in DROPOUTS]:
        raise TrainingError(f"--init-from brings its model's size along: leave out what sets {', '.join(fixed)}")
    config = Path(given["init_from"]) / CONFIG
    try:
        return replace(ModelConfig.from_json(config.read_text(encoding="utf-8")), **sizes)
    except (OSError, ValueError) as error:
        raise TrainingError(f"--init-from needs a checkpoint folder, and {config} is none of one: {error}") from error


def _open_state(
    state: StateFolder,
    checkpoint: Path,
    settings: TrainingSettings,
    data: tuple[list[Pair], list[Pair]],
    processes: int,
) -> None:
    """Claim the state folder and see to its tokenizer; a model that another run wrote is not overwritten."""
    if not state.exists() and (checkpoint / WEIGHTS).exists():
        raise TrainingError(
            f"{checkpoint} already holds a model, and {state.folder} is not the state of its training. Name another "
            "folder by --checkpoint (or its state by --state), or move the model away."
        )
    state.claim(identity(settings, data, processes))
    if not state.tokenizer.exists():
        with _faults_as_errors():
            replace_file(state.tokenizer, _first_tokenizer(settings, data[0]).model)


def _first_tokenizer(settings: TrainingSettings, pairs: Sequence[Pair]) -> Tokenizer:
    if settings.init_from is None:
        print("learning the vocabulary ...", file=sys.stderr)
        texts = (text for pair in pairs for text in pair)
        return Tokenizer.train(texts, settings.model.source_vocab_size, settings.columns)
    path = Path(settings.init_from) / TOKENIZER
    tokenizer = Tokenizer.from_file(path)
    missing = sorted(set(settings.columns) - set(tokenizer.languages))
    if missing:
        raise TrainingError(f"{path} has no tag for {' and '.join(missing)}: see --columns")
    return tokenizer


def _finish(checkpoint: Path, about: str | None) -> None:
    if about is not None:
        replace_file(checkpoint / ABOUT_DATA, about.encode())
    print(f"written to {write_card(checkpoint)}")


def _about_data(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    check_about_data(text)
    return text


def _recorded_columns(checkpoint: Path) -> tuple[str, str]:
    settings = _recorded_settings(checkpoint)
    if settings is None:
        raise TrainingError(f"{checkpoint / SETTINGS} is missing, so --columns must name the languages of the data")
    return settings.columns


def _recorded_settings(checkpoint: Path) -> TrainingSettings | None:
    path = checkpoint / SETTINGS
    return TrainingSettings.from_json(path.read_text(encoding="utf-8")) if path.exists() else None


@contextmanager
def _faults_as_errors() -> Iterator[None]:
    """While input is read a ValueError is about that input."""
    try:
        yield
    except ValueError as error:
        raise TrainingError(str(error)) from error


def _train_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Train a translator on the pairs of a folder, both ways; killed, it goes on where it stood.",
        epilog=f"See also: {_PROGRAM} evaluate --help, the same with endings and with card. Several GPUs: "
        "accelerate launch -m transformer.training ...; several processes without GPU: torchrun --nproc-per-node N -m "
        "transformer.training ...; several machines: either, with --state and --checkpoint on a disk that they share.",
    )
    _add_data(parser, "folder with train.tsv and valid.tsv: UTF-8, one pair a line, text<TAB>text")
    _add_checkpoint(parser, "folder for the best model, its settings, curves and card")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("training-state"),
        help="folder for what a killed run needs to go on (default: %(default)s)",
    )
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help=f"a {SETTINGS} whose settings replace the defaults below; options given beside it win (default: none)",
    )
    _add_about_data(parser)
    training = parser.add_argument_group("training")
    for each in fields(TrainingSettings):
        if each.name not in ("model", "started_from"):
            _add_setting(training, each.name, each.metadata["meaning"], each.default)
    model = parser.add_argument_group("model")
    for option, (names, meaning) in _MODEL_OPTIONS.items():
        default = getattr(_DEFAULT_MODEL, names[0])
        model.add_argument(
            f"--{option}", type=type(default), metavar=_metavar(default), help=f"{meaning} (default: {default})"
        )
    return parser


def _evaluate_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{_PROGRAM} evaluate",
        description="Score a checkpoint by BLEU and chrF, both ways: greedy and beam, clean, sloppy and joined. Prints "
        f"the table, writes it into the checkpoint's {SCORES}, and writes its model card anew.",
    )
    _add_checkpoint(parser, "folder of the model")
    _add_data(parser, "folder with valid.tsv or test.tsv")
    parser.add_argument(
        "--split", choices=("valid", "test"), default="valid", help="which file of it (default: %(default)s)"
    )
    _add_columns(parser)
    _add_about_data(parser)
    return parser


def _endings_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{_PROGRAM} endings",
        description="Translate every text of train.tsv and valid.tsv, and 1,000 texts of chance, and count whether the "
        f"model ends its outputs or they are cut. Writes the counts into {SCORES} and the model card.",
    )
    _add_checkpoint(parser, "folder of the model")
    _add_data(parser, "folder with train.tsv and valid.tsv")
    _add_columns(parser)
    _add_about_data(parser)
    return parser


def _card_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{_PROGRAM} card", description=f"Write a checkpoint's model card, {CARD}, from the JSON files beside it."
    )
    _add_checkpoint(parser, "folder of the model")
    _add_about_data(parser)
    return parser


def _add_data(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help=f"{meaning} (required)")


def _add_checkpoint(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument(
        "--checkpoint", type=Path, default=_DEFAULT_CHECKPOINT, help=f"{meaning} (default: %(default)s)"
    )


def _add_columns(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--columns", nargs=2, metavar="CODE", help=f"languages of the data's columns (default: what {SETTINGS} says)"
    )


def _add_about_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--about-data",
        type=Path,
        metavar="FILE",
        help=f"JSON with name, source and licence of the data, kept as {ABOUT_DATA} for the model card "
        "(default: none, or what the checkpoint has)",
    )


def _add_setting(group: Any, name: str, meaning: str, default: Any) -> None:
    option = f"--{name.replace('_', '-')}"
    if name == "columns":
        group.add_argument(option, nargs=2, metavar="CODE", help=f"{meaning} (default: {' '.join(default)})")
    elif name == "precision":
        where = "bf16 where a GPU or processor has it in hardware, else fp32"
        group.add_argument(option, choices=PRECISIONS, help=f"{meaning} (default: {where})")
    elif name == "init_from":
        group.add_argument(option, metavar="CHECKPOINT", help=f"{meaning} (default: none)")
    else:
        group.add_argument(
            option, type=type(default), metavar=_metavar(default), help=f"{meaning} (default: {default})"
        )


def _metavar(default: Any) -> str:
    return "N" if isinstance(default, int) else "X"
