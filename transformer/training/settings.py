"""TrainingSettings: everything that decides how a training run goes, kept as JSON beside the weights."""

import json
from dataclasses import asdict, dataclass, fields

from transformer.config import ModelConfig


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """One run. With the same data, the same settings give the same curve, also after being killed and resumed."""

    model: ModelConfig
    #: What the two columns of the data hold, as language codes.
    columns: tuple[str, str] = ("en", "es")
    seed: int = 1
    #: Optimizer steps in all; the learning rate reaches zero with the last one.
    steps: int = 8_000
    #: Padded tokens of one batch, on the longer side, summed over all processes.
    batch_tokens: int = 3_000
    learning_rate: float = 3e-3
    warmup_steps: int = 400
    weight_decay: float = 0.01
    label_smoothing: float = 0.1
    #: Share of the sources whose spelling is made sloppy.
    noise: float = 0.15
    #: Share of the pairs that are joined with one or two others, so that longer texts are seen too.
    joined: float = 0.08
    #: SentencePiece sampling: share of the sources that are split by chance (Kudo 2018), at smoothness 0.2.
    sampled: float = 0.1
    validate_every: int = 500

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "TrainingSettings":
        values = json.loads(text)
        values["model"] = ModelConfig(**values["model"])
        values["columns"] = tuple(values["columns"])
        return cls(**{field.name: values[field.name] for field in fields(cls)})
