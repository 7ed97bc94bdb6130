"""Trace and AttentionMap: all that one translation did, as NumPy arrays and strings. No torch here.

L layers (encoder and decoder may differ), H heads, S source length, T target length, Q queries, K keys.
"""

import io
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
Floats = NDArray[np.float32]
Booleans = NDArray[np.bool_]

#: Name and version of the JSON that `Trace.to_json` writes and of the header inside an .npz.
FORMAT, VERSION = "headlight-trace", 1


class Candidate(NamedTuple):
    """A token that could have come next, and the natural log of its probability."""

    token: str
    log_prob: float


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """One head's weights with the tokens they belong to. Raises ValueError when lengths do not agree."""

    kind: Kind
    layer: int
    head: int
    weights: Floats  # (Q, K); a row sums to 1, a forbidden cell is exactly 0
    mask: Booleans  # (Q, K); True = may attend
    query_tokens: tuple[str, ...]  # (Q) row labels: what looks
    key_tokens: tuple[str, ...]  # (K) column labels: what is looked at
    output_tokens: tuple[str, ...] | None  # (Q) what each row's step wrote; None for the encoder, which writes nothing

    def __post_init__(self) -> None:
        shape = (len(self.query_tokens), len(self.key_tokens))
        for name, array in (("weights", self.weights), ("mask", self.mask)):
            if array.shape != shape:
                raise ValueError(f"{name} is {array.shape}, but the tokens are {shape}")
        if self.output_tokens is not None and len(self.output_tokens) != shape[0]:
            raise ValueError(f"{len(self.output_tokens)} output tokens for {shape[0]} rows")


@dataclass(frozen=True)
class AlignmentHead:
    """The cross-attention head that points best at words being copied, as evaluation found on valid.tsv."""

    #: Counted from 0.
    layer: int
    head: int
    #: Share of copied word types at which its largest weight is on the source word.
    accuracy: float
    #: It was trained towards word alignments, rather than having come to this by itself.
    trained: bool


@dataclass(frozen=True)
class Alignment:
    """How well every cross-attention head points at words being copied, as evaluation found on valid.tsv."""

    best: AlignmentHead
    #: (L, H): share of copied word types at which the head's largest weight is on the source word.
    accuracy: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """One translation and everything that the model computed for it.

    Row t of `decoder_self` and `cross` belongs to target_tokens[t], which went in, and predicts output_tokens[t],
    which came out. Rows of `encoder_self` predict nothing. Raises ValueError for a field of another type than is said
    here, and when lengths do not agree.
    """

    model: str
    #: What was typed (of a text past 10,000 characters, the first so many), the language wanted, and what came out.
    source_text: str
    target: str
    text: str
    beam_size: int
    #: The output was prescribed, not chosen by the model.
    forced: bool
    #: The model ended the output itself; False: it was cut, at the length limit or because it went in circles.
    finished: bool
    #: Tokens of the source that were left out because it was longer than the model's max_length.
    dropped: int
    source_tokens: tuple[str, ...]  # (S)
    source_surfaces: tuple[str, ...]  # (S) what was typed for each token; empty for special ones
    target_tokens: tuple[str, ...]  # (T) what went into the decoder
    output_tokens: tuple[str, ...]  # (T) what came out of it
    special_tokens: tuple[str, ...]  # tokens that stand for no text
    encoder_self: Floats  # (L, H, S, S)
    decoder_self: Floats  # (L, H, T, T)
    cross: Floats  # (L, H, T, S)
    encoder_self_scores: Floats  # q.k / sqrt(d_k) before the mask, shaped as the weights
    decoder_self_scores: Floats
    cross_scores: Floats
    encoder_self_mask: Booleans  # (S, S); True = may attend
    decoder_self_mask: Booleans  # (T, T)
    cross_mask: Booleans  # (T, S)
    log_probs: Floats  # (T) natural log of the probability of each output token
    top_k_tokens: tuple[tuple[str, ...], ...]  # (T, k) the likeliest tokens of each step, best first
    top_k_log_probs: Floats  # (T, k)

    def __post_init__(self) -> None:
        for field in fields(self):
            if not _fits(getattr(self, field.name), field.type):
                raise ValueError(f"{field.name} must be {_in_words(field.type)}")
        for kind in KINDS:
            queries, keys = self._sides(kind)
            shape = (len(queries), len(keys))
            if self.weights(kind).shape[2:] != shape or self.mask(kind).shape != shape:
                raise ValueError(f"{kind} is {self.weights(kind).shape}, but its tokens are {shape}")
            if self.scores(kind).shape != self.weights(kind).shape:
                raise ValueError(f"{kind}: scores {self.scores(kind).shape}, weights {self.weights(kind).shape}")
        lengths = {
            "source_surfaces": (len(self.source_surfaces), len(self.source_tokens)),
            "output_tokens": (len(self.output_tokens), len(self.target_tokens)),
            "log_probs": (self.log_probs.shape, (len(self.output_tokens),)),
            "top_k_tokens": (len(self.top_k_tokens), len(self.output_tokens)),
            "top_k_log_probs": (
                self.top_k_log_probs.shape,
                (len(self.top_k_tokens), *{len(row) for row in self.top_k_tokens}),
            ),
        }
        for name, (found, wanted) in lengths.items():
            if found != wanted:
                raise ValueError(f"{name} is {found} long, but its tokens are {wanted}")

    def weights(self, kind: Kind) -> Floats:
        """(L, H, Q, K) attention weights."""
        return self._array(kind, "")

    def scores(self, kind: Kind) -> Floats:
        """(L, H, Q, K): q.k / sqrt(d_k), before the mask."""
        return self._array(kind, "_scores")

    def mask(self, kind: Kind) -> Booleans:
        """(Q, K), the same for all layers and heads; True = may attend."""
        return self._array(kind, "_mask")

    def attention(self, kind: Kind, layer: int, head: int) -> AttentionMap:
        """One head, counted from 0. Raises ValueError for a map, layer or head that is not there."""
        weights = self.weights(kind)
        for name, index, count in (("layer", layer, weights.shape[0]), ("head", head, weights.shape[1])):
            if not 0 <= index < count:
                raise ValueError(f"{name} must be 0 to {count - 1}, not {index}")
        queries, keys = self._sides(kind)
        outputs = None if kind == "encoder_self" else self.output_tokens
        return AttentionMap(kind, layer, head, weights[layer, head], self.mask(kind), queries, keys, outputs)

    @property
    def top_k(self) -> list[list[Candidate]]:
        """(T, k) candidates of each step, best first."""
        return [
            [Candidate(token, float(value)) for token, value in zip(tokens, values, strict=True)]
            for tokens, values in zip(self.top_k_tokens, self.top_k_log_probs, strict=True)
        ]

    def save(self, path: str | Path) -> None:
        """Write one .npz: the arrays, and a JSON header with the rest. `load` gives back exactly this trace."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, header=np.array(json.dumps(self._header())), **self._arrays())  # type: ignore[arg-type]
        Path(path).write_bytes(buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> "Trace":
        """Raises ValueError for a file that is no trace, or one of another version."""
        content = Path(path).read_bytes()
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                values: dict[str, Any] = {name: file[name] for name in file.files}
            header = dict(json.loads(str(values.pop("header"))))
        except Exception as error:  # NumPy, zipfile, zlib and json each have their own words for a damaged file
            raise ValueError(f"{path} is no Headlight trace") from error
        if (header.pop("format", None), header.pop("version", None)) != (FORMAT, VERSION):
            raise ValueError(f"{path} is no {FORMAT} of version {VERSION}")
        if sorted([*header, *values]) != sorted(field.name for field in fields(cls)):
            raise ValueError(f"{path} has not the fields of a {FORMAT} of version {VERSION}")
        try:
            return cls(**{name: _tuples(value) for name, value in header.items()}, **values)
        except ValueError as error:
            raise ValueError(f"{path} is no sound {FORMAT}: {error}") from error

    def to_json(self) -> str:
        """The whole trace as one JSON object; docs/trace-format.md tells its fields. Floats keep float32 exactly."""
        arrays = {
            name: array.tolist() if array.dtype == np.bool_ else _nested(array)
            for name, array in self._arrays().items()
        }
        return json.dumps(self._header() | arrays, ensure_ascii=False)

    def _header(self) -> dict[str, Any]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"format": FORMAT, "version": VERSION} | {
            name: value for name, value in plain.items() if not isinstance(value, np.ndarray)
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in plain.items() if isinstance(value, np.ndarray)}

    def _sides(self, kind: Kind) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Tokens that look and tokens that are looked at."""
        queries = self.source_tokens if kind == "encoder_self" else self.target_tokens
        keys = self.target_tokens if kind == "decoder_self" else self.source_tokens
        return queries, keys

    def _array(self, kind: Kind, suffix: str) -> Any:
        if kind not in KINDS:
            raise ValueError(f"the attention map must be one of {', '.join(KINDS)}, not {kind!r}")
        return getattr(self, f"{kind}{suffix}")


def _fits(value: Any, kind: Any) -> bool:
    """Whether the value is of exactly the type that a field of Trace declares: True is no int, float64 no float32."""
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_fits(item, get_args(kind)[0]) for item in value)
    if get_origin(kind) is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype == _dtype(kind)
    return type(value) is kind


def _in_words(kind: Any) -> str:
    if get_origin(kind) is np.ndarray:
        return f"an array of {_dtype(kind)}"
    return str(kind) if get_origin(kind) else kind.__name__


def _dtype(kind: Any) -> np.dtype[Any]:
    """The dtype in NDArray[...], which is short for ndarray[shape, dtype[...]]."""
    return np.dtype(get_args(get_args(kind)[1])[0])


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _nested(array: NDArray[np.float32]) -> Any:
    """Nested lists of the shortest decimals that give back the same float32 (9 significant digits always do)."""
    flat = np.array([float(f"{value:.9g}") for value in array.ravel().tolist()])
    return flat.reshape(array.shape).tolist()
