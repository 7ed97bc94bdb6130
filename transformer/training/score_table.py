"""The whole score table of one checkpoint on one split, as it is committed: scores.json.

    {"format": "headlight-scores", "version": 1,
     "splits": {"valid": {"pairs": 1223, "weights": "<sha256 of model.safetensors>",
                          "rows": [{...}, ...], "heads": {...} or null}, ...}}

"endings", if it was counted, is the report of `endings.py` with the sha256 of its weights.

A row is one direction, one kind of input, one way of decoding and one choice of references, with what sacrebleu said.
"heads" is the report of `heads.py` with its best (layer, head), counted from 0, and whether that one was trained to
align; null where no word is copied. "heads_with_valid", beside test's, is the same over valid and test together, where
the best head is the one that valid alone chose.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from transformer.checkpoint import SCORES, WEIGHTS, replace_file
from transformer.training.data import Pair
from transformer.training.evaluation import Scores, references, score_outputs, translate_all
from transformer.training.heads import head_report
from transformer.training.loop import SETTINGS
from transformer.training.noise import NOISES, all_noises
from transformer.training.settings import TrainingError, TrainingSettings
from transformer.translator import Translator

_FORMAT, _VERSION = "headlight-scores", 1
_BEAM = 5

#: Kinds of input that change each source by itself.
CLEAN = "clean"
SLOPPY: dict[str, Callable[[str], str]] = {**NOISES, "all of these": all_noises}
#: Kinds of input that join neighbouring sources of the file; beside each, the same texts translated one by one.
JOINED = {"joined by twos": 2, "joined by threes": 3}
APART = "one by one, then {}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    direction: str
    input: str
    beam_size: int
    #: "first": the first translation in the file; "all": every one.
    references: str
    scores: Scores

    def to_dict(self) -> dict[str, Any]:
        own = {"direction": self.direction, "input": self.input, "beam_size": self.beam_size}
        return own | {"references": self.references} | asdict(self.scores)


Translate = Callable[[Sequence[str], int], list[str]]


def rows(direction: str, wanted: dict[str, list[str]], translate: Translate) -> Iterator[Row]:
    """The table of one direction. wanted: distinct sources and their translations; translate(texts, beam_size)."""
    sources, every = list(wanted), list(wanted.values())
    first = [translations[:1] for translations in every]
    greedy, beam = translate(sources, 1), translate(sources, _BEAM)
    yield Row(direction, CLEAN, 1, "first", score_outputs(greedy, first))
    yield Row(direction, CLEAN, 1, "all", score_outputs(greedy, every))
    yield Row(direction, CLEAN, _BEAM, "first", score_outputs(beam, first))
    yield Row(direction, CLEAN, _BEAM, "all", score_outputs(beam, every))
    for name, noise in SLOPPY.items():
        outputs = translate([noise(source) for source in sources], 1)
        yield Row(direction, name, 1, "first", score_outputs(outputs, first))
    for name, size in JOINED.items():
        together = [[text] for text in _join([translations[0] for translations in every], size)]
        outputs = translate(_join(sources, size), 1)
        yield Row(direction, name, 1, "first", score_outputs(outputs, together))
        yield Row(direction, APART.format(name), 1, "first", score_outputs(_join(greedy, size), together))


def _join(texts: Sequence[str], size: int) -> list[str]:
    return [" ".join(texts[start : start + size]) for start in range(0, len(texts), size)]


def load_translator(checkpoint: Path, columns: tuple[str, str]) -> Translator:
    """Raises CheckpointError, and TrainingError for an unknown language."""
    translator = Translator.from_pretrained(checkpoint)
    missing = sorted(set(columns) - set(translator.tokenizer.languages))
    if missing:
        raise TrainingError(f"{checkpoint} does not translate into {' or '.join(missing)}: see --columns")
    return translator


def score_split(
    checkpoint: Path, pairs: Sequence[Pair], columns: tuple[str, str], valid_pairs: Sequence[Pair] | None = None
) -> dict[str, Any]:
    """What scores.json says of one split. valid_pairs: those of valid, where another split is scored.

    Raises CheckpointError, and TrainingError for an unknown language.
    """
    translator = load_translator(checkpoint, columns)
    tokenizer = translator.tokenizer
    heads = {"heads": _heads(translator, checkpoint, pairs, columns)}
    if valid_pairs is not None:
        heads["heads_with_valid"] = _heads_with_valid(translator, checkpoint, pairs, valid_pairs, columns)
    model = translator.model.to("cuda" if torch.cuda.is_available() else "cpu")
    table: list[dict[str, Any]] = []
    for side in (1, 0):
        source, target = columns[side], columns[1 - side]

        def translate(texts: Sequence[str], beam_size: int, target: str = target) -> list[str]:
            return translate_all(model, tokenizer, texts, target, beam_size)

        found = rows(f"{source}-{target}", references(pairs, side), translate)
        table += [row.to_dict() for row in found]
    return {"pairs": len(pairs), "weights": weights_digest(checkpoint), "rows": table} | heads


def _heads_with_valid(
    translator: Translator,
    checkpoint: Path,
    pairs: Sequence[Pair],
    valid_pairs: Sequence[Pair],
    columns: tuple[str, str],
) -> dict[str, Any] | None:
    chosen = _heads(translator, checkpoint, valid_pairs, columns)
    together = _heads(translator, checkpoint, [*valid_pairs, *pairs], columns)
    return chosen and together and together | {"best": chosen["best"], "trained": chosen["trained"]}


def _heads(
    translator: Translator, checkpoint: Path, pairs: Sequence[Pair], columns: tuple[str, str]
) -> dict[str, Any] | None:
    try:
        report = head_report(translator, pairs, columns)
    except ValueError:  # no word is copied
        return None
    trained = report.best() == _trained_head(checkpoint)
    return {"best": report.best(), "trained": trained} | asdict(report)


def _trained_head(checkpoint: Path) -> tuple[int, int] | None:
    """The head that training.json says was trained to align."""
    path = checkpoint / SETTINGS
    return TrainingSettings.from_json(path.read_text(encoding="utf-8")).aligned_head if path.exists() else None


def weights_digest(checkpoint: Path) -> str:
    """Says which weights a table is about."""
    return hashlib.sha256((checkpoint / WEIGHTS).read_bytes()).hexdigest()


def load_scores(checkpoint: Path) -> dict[str, dict[str, Any]]:
    """Tables by split; none where there is no scores.json. Raises TrainingError for another kind of file."""
    return dict(_load(checkpoint).get("splits", {}))


def _load(checkpoint: Path) -> dict[str, Any]:
    path = checkpoint / SCORES
    if not path.exists():
        return {}
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TrainingError(f"{path} is no JSON ({error}): delete it and evaluate again") from error
    if not isinstance(whole, dict) or (whole.get("format"), whole.get("version")) != (_FORMAT, _VERSION):
        raise TrainingError(f"{path} is no {_FORMAT} of version {_VERSION}: delete it and evaluate again")
    return whole


def load_endings(checkpoint: Path) -> dict[str, Any] | None:
    """None where they were not counted, or for other weights. Raises TrainingError for another kind of file."""
    endings = _load(checkpoint).get("endings")
    return endings if endings and endings["weights"] == weights_digest(checkpoint) else None


def save_scores(checkpoint: Path, split: str, table: dict[str, Any]) -> None:
    """Put one split's table into scores.json; the others stay."""
    _save(checkpoint, splits=load_scores(checkpoint) | {split: table})


def save_endings(checkpoint: Path, report: dict[str, Any]) -> None:
    """Put the report of `endings.py` into scores.json."""
    _save(checkpoint, endings={"weights": weights_digest(checkpoint)} | report)


def _save(checkpoint: Path, **parts: Any) -> None:
    whole = {"format": _FORMAT, "version": _VERSION, "splits": {}} | _load(checkpoint) | parts
    replace_file(checkpoint / SCORES, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())


def as_text(table: dict[str, Any]) -> str:
    """The table for a terminal: one line a row."""
    lines = [f"{'':8}{'input':38}{'beam':>5}{'references':>12}{'texts':>7}{'BLEU':>8}{'chrF':>8}"]
    lines += [
        f"{row['direction']:8}{row['input']:38}{row['beam_size']:>5}{row['references']:>12}{row['sentences']:>7}"
        f"{row['bleu']:>8.2f}{row['chrf']:>8.2f}"
        for row in table["rows"]
    ]
    return "\n".join(lines)
