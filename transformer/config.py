"""ModelConfig: every choice that makes one Transformer, checked when it is made, and JSON in and out."""

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import get_type_hints

ACTIVATIONS = ("relu", "gelu", "silu")
NORM_KINDS = ("torch", "unbiased_std")
POSITION_LAYOUTS = ("interleaved", "halves")
INITIALIZATIONS = ("xavier_uniform", "normal")


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The shape and the switches of a Transformer; the names are the paper's, PyTorch's where it has none.

    Defaults are the paper's base model (Vaswani et al. 2017, Table 3). Raises ValueError that names the field
    for a value that cannot work.
    """

    source_vocab_size: int = 37_000
    target_vocab_size: int = 37_000
    padding_id: int = 0
    d_model: int = 512
    num_heads: int = 8
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    d_ff: int = 2048
    #: After the embeddings and after every sublayer, before the residual sum (section 5.4).
    dropout: float = 0.1
    #: On the attention weights, in training only.
    attention_dropout: float = 0.0
    #: Between the two linear maps of the feed-forward network.
    feed_forward_dropout: float = 0.0
    #: Longest source and longest target, in tokens, special tokens included.
    max_length: int = 512
    #: True: ``x + sublayer(norm(x))``; False, the paper's: ``norm(x + sublayer(x))``.
    norm_first: bool = False
    #: One more normalisation at the end of each stack. Pre-norm models need it to tame the residual stream.
    final_norm: bool = False
    #: "torch": nn.LayerNorm; "unbiased_std": (x - mean) / (std + epsilon) with n - 1 in the variance.
    norm_kind: str = "torch"
    norm_epsilon: float = 1e-5
    #: Biases in the query, key, value and output projections.
    attention_bias: bool = True
    share_embeddings: bool = True
    #: The output projection is the target embedding matrix (section 3.4).
    tie_output: bool = True
    output_bias: bool = False
    activation: str = "relu"
    #: Multiply embeddings by sqrt(d_model) (section 3.4).
    scale_embeddings: bool = True
    #: "interleaved", the paper's: sin, cos, sin, cos ...; "halves": all sines, then all cosines.
    position_layout: str = "interleaved"
    #: Weight matrices: "xavier_uniform", or "normal" with standard deviation 0.02. Embeddings are normal with
    #: standard deviation d_model ** -0.5 in the first case, so that scaling by sqrt(d_model) gives unit size.
    initialization: str = "xavier_uniform"

    def __post_init__(self) -> None:
        self._check_types()
        for name, limit in _AT_LEAST.items():
            _require(getattr(self, name) >= limit, name, f"must be at least {limit}, not {getattr(self, name)}")
        for name in ("dropout", "attention_dropout", "feed_forward_dropout"):
            _require(0 <= getattr(self, name) < 1, name, f"must lie in [0, 1), not {getattr(self, name)}")
        for name, choices in _CHOICES.items():
            _require(getattr(self, name) in choices, name, f"must be one of {choices}, not {getattr(self, name)!r}")
        _require(0 < self.norm_epsilon < math.inf, "norm_epsilon", f"must be positive, not {self.norm_epsilon}")
        _require(
            self.d_model % self.num_heads == 0,
            "num_heads",
            f"must divide d_model: {self.d_model} is no multiple of {self.num_heads}",
        )
        _require(self.d_model % 2 == 0, "d_model", f"must be even (sines and cosines go in pairs), not {self.d_model}")
        smaller = min(self.source_vocab_size, self.target_vocab_size)
        _require(self.padding_id < smaller, "padding_id", f"{self.padding_id} is outside a vocabulary of {smaller}")
        _require(
            not self.share_embeddings or self.source_vocab_size == self.target_vocab_size,
            "share_embeddings",
            f"needs one vocabulary size, not {self.source_vocab_size} and {self.target_vocab_size}",
        )

    def _check_types(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            accepted = (int, float) if kind is float else kind
            wrong = not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool)
            _require(not wrong, name, f"must be {kind.__name__}, not {value!r}")

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values (section 3.2.2)."""
        return self.d_model // self.num_heads

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "ModelConfig":
        """Raises ValueError for text that is no JSON object, and for fields that are missing, unknown or wrong."""
        try:
            values = json.loads(text)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
        if not isinstance(values, dict):
            raise ValueError("a model config is a JSON object")
        names = {field.name for field in fields(cls)}
        for name in sorted(set(values) ^ names):
            _require(False, name, "is unknown" if name in values else "is missing")
        return cls(**values)


_AT_LEAST = {
    "source_vocab_size": 1,
    "target_vocab_size": 1,
    "padding_id": 0,
    "d_model": 2,
    "num_heads": 1,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "d_ff": 1,
    "max_length": 2,
}
_CHOICES = {
    "activation": ACTIVATIONS,
    "norm_kind": NORM_KINDS,
    "position_layout": POSITION_LAYOUTS,
    "initialization": INITIALIZATIONS,
}


def _require(holds: bool, field: str, message: str) -> None:
    if not holds:
        raise ValueError(f"ModelConfig.{field} {message}")


PRESETS: dict[str, ModelConfig] = {
    # Table 3 of the paper; 37,000 pieces is its English-German vocabulary (section 5.1).
    "base": ModelConfig(),
    "big": ModelConfig(d_model=1024, num_heads=16, d_ff=4096, dropout=0.3),
    # What checkpoints/es-en is: small enough to train and to run on two processor cores.
    "shipped": ModelConfig(
        source_vocab_size=8_000,
        target_vocab_size=8_000,
        d_model=192,
        num_heads=6,
        num_encoder_layers=3,
        num_decoder_layers=3,
        d_ff=768,
        max_length=128,
        norm_first=True,
        final_norm=True,
    ),
}
