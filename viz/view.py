"""What is shown of a trace: one matrix with its rows and columns, made from the trace's weights by what is selected.

The page makes the same views in viz/board/data/; figures and tables draw these. NumPy only.
L layers, H heads, Q rows, K columns of a view; q, k rows and columns of the trace's map.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from transformer.trace import Booleans, Floats, Kind, Trace
from transformer.words import SPACE, word_groups
from viz.rollout import rollout

Merge = Literal["head", "layer_mean", "layer_max", "all_mean", "all_max", "rollout"]
Weights = NDArray[np.float64]

#: How the tokenizer writes what it does not know.
UNKNOWN = "<unk>"
#: Least part of a row that must be left when special tokens are hidden: below, it would be magnified noise.
LEAST_LEFT = 0.01


@dataclass(frozen=True)
class Selection:
    """What is to be seen of a trace. Layers and heads count from 0. Raises ValueError for a value that is none.

    `merge` says what the picture shows: the chosen head; the mean or maximum of the layer's heads or of all heads; or
    the rollout up to the chosen layer. `lines` are more heads of the layer, drawn beside the chosen one as lines.
    """

    map: Kind
    layer: int
    head: int = 0
    merge: Merge = "head"
    view: Literal["heatmap", "lines", "table"] = "heatmap"
    lines: tuple[int, ...] = ()
    units: Literal["pieces", "words"] = "pieces"
    special: Literal["shown", "hidden"] = "shown"
    scale: Literal["fixed", "stretched"] = "fixed"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, choices = getattr(self, field.name), get_args(field.type)
            if field.name == "lines":
                if not isinstance(value, tuple) or not all(is_place(head) for head in value):
                    raise ValueError(f"lines must be whole numbers from 0 on, not {value!r}")
            elif field.type is int:
                if not is_place(value):
                    raise ValueError(f"{field.name} must be a whole number from 0 on, not {value!r}")
            elif not (isinstance(value, str) and value in choices):
                raise ValueError(f"{field.name} must be one of {', '.join(choices)}, not {value!r}")

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads that the picture shows, each once, the chosen one first; none where heads are merged."""
        if self.merge != "head":
            return ()
        return tuple(dict.fromkeys((self.head, *self.lines))) if self.view == "lines" else (self.head,)

    @classmethod
    def of(cls, given: Any) -> "Selection":
        """From the page's selection, whose further properties choose no view. Raises ValueError."""
        if not isinstance(given, dict):
            raise ValueError(f"the selection must be an object, not {given!r}")
        if missing := [name for name in ("map", "layer") if name not in given]:
            raise ValueError(f"the selection has no {missing[0]}")
        known = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        if isinstance(known.get("lines"), list):
            known["lines"] = tuple(known["lines"])
        return cls(**known)


class Piece(NamedTuple):
    """What a row or column is called. `surface` is what was typed for it, where that is known."""

    token: str
    surface: str = ""
    special: bool = False

    @property
    def label(self) -> str:
        """The token; for one that the model does not know, with what was typed."""
        return f"{UNKNOWN} {self.surface}" if self.token == UNKNOWN and self.surface else self.token


@dataclass(frozen=True, eq=False)
class View:
    """One matrix with the names of its rows and columns."""

    selection: Selection
    weights: Floats  # (Q, K); a forbidden cell is exactly 0
    mask: Booleans  # (Q, K); True = may attend; a cell of words is forbidden where all of its pieces are
    rows: tuple[Piece, ...]  # (Q) what looks
    columns: tuple[Piece, ...]  # (K) what is looked at
    outputs: tuple[Piece, ...] | None  # (Q) what each row's steps wrote; None for the encoder, which writes nothing
    #: (Q) share of each row's weight that lay on hidden special tokens; None where none are hidden or, as for maxima,
    #: rows are no shares of a whole.
    hidden_share: Floats | None
    blank: Booleans  # (Q); True = under 1 % of the row is left, too little to be shown
    scale: float  # the weight that the last colour stands for

    @property
    def drawn(self) -> Booleans:
        """(Q, K); True where a number is shown: neither forbidden nor in a blank row."""
        return self.mask & ~self.blank[:, None]


def view_of(trace: Trace, selection: Selection) -> View:
    """The view that the page shows of the trace. Raises ValueError for a layer or head that the map does not have.

    Words: columns are added up and rows averaged, so that rows still add up to what they did. Special tokens hidden:
    their columns go, and what is left of a row is made to add up to what the whole row did. Their rows go too, except
    where the row's step wrote a token of the text: after the start token the first one is chosen.
    """
    _check_places(trace, selection)
    layout = _layout(trace, selection)
    whole = _merged(trace, selection, layout)
    mask = _grouped(trace.mask(selection.map), layout.rows.groups, layout.columns.groups) > 0
    is_maximum = selection.merge.endswith("_max")
    weights, hidden_share = _without_hidden(whole, layout, is_maximum)
    blank = np.zeros(len(weights), bool) if hidden_share is None else 1 - hidden_share < LEAST_LEFT
    largest = float(weights.max(initial=0.0))
    return View(
        selection=selection,
        weights=weights.astype(np.float32),
        mask=mask,
        rows=layout.rows.pieces,
        columns=layout.columns.pieces,
        outputs=layout.outputs,
        hidden_share=None if hidden_share is None else hidden_share.astype(np.float32),
        blank=blank,
        scale=(largest or 1.0) if selection.scale == "stretched" else 1.0,
    )


def word_places(trace: Trace) -> dict[str, list[list[int]]]:
    """The places of each word's tokens in "source", "target" (what went in) and "output"; special ones stand alone."""
    return {
        "source": word_groups(trace.source_surfaces),
        "target": word_groups(_text_of(trace, trace.target_tokens)),
        "output": word_groups(_text_of(trace, trace.output_tokens)),
    }


def is_place(value: object) -> bool:
    """Whether it is a whole number from 0 on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def pieces_of(trace: Trace, tokens: Sequence[str], surfaces: Sequence[str] | None = None) -> list[Piece]:
    """What tokens of the trace are called. surfaces: what was typed for each, where that is known."""
    named = zip(tokens, surfaces or [""] * len(tokens), strict=True)
    return [Piece(token, surface, token in trace.special_tokens) for token, surface in named]


def _text_of(trace: Trace, tokens: Sequence[str]) -> list[str]:
    """What each token stands for in the text; nothing for special ones."""
    return ["" if token in trace.special_tokens else token for token in tokens]


def _check_places(trace: Trace, selection: Selection) -> None:
    layers, heads = trace.weights(selection.map).shape[:2]
    places = [
        ("layer", selection.layer, layers),
        *(("head", head, heads) for head in (selection.head, *selection.lines)),
    ]
    for name, place, count in places:
        if place >= count:
            raise ValueError(f"{name} must be 0 to {count - 1}, not {place}")


class _Side(NamedTuple):
    """Rows or columns: what they are called, and for each the places of its tokens in the trace."""

    pieces: tuple[Piece, ...]
    groups: list[list[int]]

    def kept(self, stays: Sequence[bool]) -> "_Side":
        pieces = tuple(piece for piece, stay in zip(self.pieces, stays, strict=True) if stay)
        return _Side(pieces, [group for group, stay in zip(self.groups, stays, strict=True) if stay])


class _Layout(NamedTuple):
    rows: _Side
    columns: _Side
    outputs: tuple[Piece, ...] | None
    hidden: list[list[int]]  # the columns' groups that are left out


def _layout(trace: Trace, selection: Selection) -> _Layout:
    """The rows of a decoder are its steps. In words, those that wrote one word make a row of cross-attention, which
    says where the model looked while it chose; those that read one make a row of self-attention, as they do a column.
    """
    words = word_places(trace)
    went_in = pieces_of(trace, trace.target_tokens)
    written = _side(went_in, words["target"], selection)
    source = _side(pieces_of(trace, trace.source_tokens, trace.source_surfaces), words["source"], selection)
    chosen = _side(went_in, words["output"], selection)
    rows = {"encoder_self": source, "decoder_self": written, "cross": chosen}[selection.map]
    columns = written if selection.map == "decoder_self" else source
    wrote = pieces_of(trace, trace.output_tokens)
    outputs = None if selection.map == "encoder_self" else _grouped_pieces(wrote, rows.groups, selection)
    if selection.special == "shown":
        return _Layout(rows, columns, outputs, [])
    return _Layout(
        rows.kept([not piece.special for piece in outputs or rows.pieces]),
        columns.kept([not piece.special for piece in columns.pieces]),
        outputs and tuple(piece for piece in outputs if not piece.special),
        columns.kept([piece.special for piece in columns.pieces]).groups,
    )


def _side(pieces: Sequence[Piece], words: list[list[int]], selection: Selection) -> _Side:
    groups = words if selection.units == "words" else [[place] for place in range(len(pieces))]
    return _Side(_grouped_pieces(pieces, groups, selection), groups)


def _grouped_pieces(pieces: Sequence[Piece], groups: list[list[int]], selection: Selection) -> tuple[Piece, ...]:
    if selection.units == "pieces":
        return tuple(pieces[places[0]] for places in groups)
    return tuple(_word([pieces[place] for place in places]) for places in groups)


def _word(pieces: Sequence[Piece]) -> Piece:
    """A word as it is written: the pieces' marks of spaces are spaces again."""
    token, special = "".join(piece.token for piece in pieces), all(piece.special for piece in pieces)
    text = token if special else token.replace(SPACE, " ").strip() or token
    return Piece(text, "".join(piece.surface for piece in pieces), special)


def _merged(trace: Trace, selection: Selection, layout: _Layout) -> Weights:
    """(Q, K + hidden), the hidden columns behind the others.

    Words are made of pieces before heads are merged: a maximum of sums is not the sum of maxima.
    """
    weights = trace.weights(selection.map)  # (L, H, q, k)
    if selection.merge == "rollout":
        return _grouped(rollout(trace, selection.map, selection.layer), layout.rows.groups, _all_columns(layout))
    if selection.merge == "head":
        return _grouped(weights[selection.layer, selection.head], layout.rows.groups, _all_columns(layout))
    chosen = (
        weights[selection.layer] if selection.merge.startswith("layer") else weights.reshape(-1, *weights.shape[2:])
    )
    heads = _grouped(chosen, layout.rows.groups, _all_columns(layout))  # (heads, Q, K + hidden)
    merge: Callable[..., Weights] = np.mean if selection.merge.endswith("mean") else np.max
    return merge(heads, axis=0)


def _all_columns(layout: _Layout) -> list[list[int]]:
    return [*layout.columns.groups, *layout.hidden]


def _grouped(matrices: NDArray[Any], rows: list[list[int]], columns: list[list[int]]) -> Weights:
    """(.., q, k) -> (.., Q, K): the rows of each group averaged, its columns added up."""
    to_rows = _membership(rows, matrices.shape[-2])  # (Q, q)
    to_rows /= np.maximum(to_rows.sum(axis=1, keepdims=True), 1)
    return to_rows @ matrices.astype(np.float64) @ _membership(columns, matrices.shape[-1]).T


def _membership(groups: list[list[int]], count: int) -> Weights:
    """(groups, count): 1 where a place is of the group."""
    members = np.zeros((len(groups), count))
    for number, places in enumerate(groups):
        members[number, places] = 1
    return members


def _without_hidden(whole: Weights, layout: _Layout, is_maximum: bool) -> tuple[Weights, Weights | None]:
    """(Q, K + hidden) -> weights (Q, K) and the share of each row that is hidden (Q)."""
    if not layout.hidden:
        return whole, None
    shown = whole[:, : len(layout.columns.groups)]
    if is_maximum:
        return shown, None
    total, left = whole.sum(axis=1), shown.sum(axis=1)
    part = np.divide(left, total, out=np.ones_like(left), where=total > 0)
    factor = np.divide(1, part, out=np.ones_like(part), where=part >= LEAST_LEFT)
    return shown * factor[:, None], 1 - part
