"""TrainingSettings: everything that decides how a training run goes, kept as JSON beside the weights."""

import json
import re
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, get_type_hints

from transformer.config import ModelConfig

PRECISIONS = ("fp32", "bf16")

#: Fields of the model that a run may set anew for weights that it starts from.
DROPOUTS = ("dropout", "attention_dropout", "feed_forward_dropout")


class TrainingError(Exception):
    """A run that cannot start, go on, or be scored; the message says why and what to do."""


def _setting(default: Any, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """One run. With the same data, the same settings give the same curve, also after being killed and resumed.

    Raises ValueError that names the field for a value that cannot work.
    """

    model: ModelConfig
    columns: tuple[str, str] = _setting(("en", "es"), "languages of the data's first and second column, as codes")
    seed: int = _setting(1, "seed of weights, dropout and the order of the data")
    steps: int = _setting(8_000, "optimizer steps in all; the learning rate reaches zero with the last one")
    stop_after: int = _setting(
        0, "step after which the run ends before its last, for another one to go on from; 0: it runs to the end"
    )
    batch_tokens: int = _setting(
        3_000, "padded tokens of one batch, on its longer side, summed over all processes; a longer pair goes alone"
    )
    learning_rate: float = _setting(3e-3, "highest learning rate of AdamW, reached at the end of the warm-up")
    warmup_steps: int = _setting(400, "steps in which the learning rate rises")
    weight_decay: float = _setting(0.01, "weight decay of matrices; biases and normalisation have none")
    label_smoothing: float = _setting(0.1, "share of the wanted probability that is spread over all pieces")
    noise: float = _setting(0.15, "share of the sources that are made sloppy, as people type")
    joined: float = _setting(0.08, "share of the pairs that are joined with one or two others, to teach longer texts")
    sampled: float = _setting(0.1, "share of the sources split into pieces by chance (Kudo 2018, smoothness 0.2)")
    alignment: float = _setting(
        0.0, "weight of the loss that trains one cross-attention head on word alignments (Garg et al. 2019); 0: none"
    )
    copied: float = _setting(
        1.0, "how many times as much as other words a name or number that is copied counts in that loss"
    )
    aligned_layer: int = _setting(
        0, "decoder layer, counted from 1, whose first cross-attention head that loss trains; 0: the last layer"
    )
    validate_every: int = _setting(500, "steps from one validation to the next")
    precision: str = _setting("bf16", "bf16 (mixed) or fp32")
    init_from: str | None = _setting(None, "checkpoint folder whose weights and tokenizer the run starts from")
    #: The settings of the run that made init_from, where they are known: with them a file tells the whole way.
    started_from: "TrainingSettings | None" = None

    def __post_init__(self) -> None:
        self._check_types()
        for name, limit in _AT_LEAST.items():
            _require(getattr(self, name) >= limit, name, f"must be at least {limit}, not {getattr(self, name)}")
        for name in ("noise", "joined", "sampled"):
            _require(0 <= getattr(self, name) <= 1, name, f"must lie in [0, 1], not {getattr(self, name)}")
        _require(0 <= self.label_smoothing < 1, "label_smoothing", f"must lie in [0, 1), not {self.label_smoothing}")
        _require(0 < self.learning_rate < 1, "learning_rate", f"must lie in (0, 1), not {self.learning_rate}")
        _require(self.precision in PRECISIONS, "precision", f"must be one of {PRECISIONS}, not {self.precision!r}")
        if self.started_from is not None:
            for name in ("columns", "precision"):
                here, there = getattr(self, name), getattr(self.started_from, name)
                _require(here == there, "started_from", f"must have the same {name}, not {there!r}")
            there = replace(self.started_from.model, **{name: getattr(self.model, name) for name in DROPOUTS})
            _require(self.model == there, "started_from", f"must have the same model but for dropout, not {there!r}")
        _require(self.stop_after <= self.steps, "stop_after", f"must be at most steps, {self.steps}")
        layers = self.model.num_decoder_layers
        _require(self.aligned_layer <= layers, "aligned_layer", f"must be at most {layers}, the decoder's layers")
        codes = len(self.columns) == 2 and all(re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", code) for code in self.columns)
        _require(
            codes and len(set(self.columns)) == 2,
            "columns",
            f'must be two different language codes such as "en" and "es", not {self.columns}',
        )

    @property
    def last_step(self) -> int:
        return self.stop_after or self.steps

    @property
    def aligned_head(self) -> tuple[int, int] | None:
        """(layer, head), counted from 0, of the cross-attention head that word alignments train; None: none.

        Garg et al. (2019) take the last layer but one, for a decoder that sees the whole output. Here a row has yet to
        choose its token, and the last layer knows most about that choice.
        """
        return ((self.aligned_layer or self.model.num_decoder_layers) - 1, 0) if self.alignment else None

    def _check_types(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if name == "started_from":
                right = value is None or isinstance(value, TrainingSettings)
            elif name == "columns":
                right = isinstance(value, tuple) and all(isinstance(code, str) for code in value)
            else:
                right = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
            _require(right, name, f"has the wrong type: {value!r}")

    def to_json(self) -> str:
        """Without init_from where started_from tells how it is made: a folder of one machine says nothing elsewhere."""
        values = asdict(self)
        if self.started_from is not None:
            values |= {"init_from": None, "started_from": json.loads(self.started_from.to_json())}
        return json.dumps(values, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "TrainingSettings":
        """Fields that the text lacks have their defaults; the model's must all be there. Raises ValueError."""
        return cls._from_values(json.loads(text))

    @classmethod
    def _from_values(cls, values: Any) -> "TrainingSettings":
        if not isinstance(values, dict) or "model" not in values:
            raise ValueError('training settings are a JSON object with a "model"')
        for name in sorted(values.keys() - {each.name for each in fields(cls)}):
            _require(False, name, "is unknown")
        values["model"] = ModelConfig.from_json(json.dumps(values["model"]))
        if isinstance(values.get("columns"), list):
            values["columns"] = tuple(values["columns"])
        if values.get("started_from") is not None:
            values["started_from"] = cls._from_values(values["started_from"])
        return cls(**values)


_AT_LEAST = {
    "steps": 1,
    "stop_after": 0,
    "batch_tokens": 1,
    "warmup_steps": 0,
    "weight_decay": 0,
    "alignment": 0,
    "copied": 0,
    "aligned_layer": 0,
    "validate_every": 1,
}


def _require(holds: bool, name: str, message: str) -> None:
    if not holds:
        raise ValueError(f"TrainingSettings.{name} {message}")
