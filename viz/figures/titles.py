"""What a view or a step is called, in words. Layers, heads and steps count from 1 here, as on the page."""

import math
from collections.abc import Mapping, Sequence

from transformer.trace import Floats
from viz.figures.style import fraction, label
from viz.step import Step
from viz.view import Piece, View


def view_title(view: View, texts: Mapping[str, str]) -> str:
    """The map, which heads of it and how they are merged, and what was done to the tokens."""
    chosen = view.selection
    name = texts[f"figure.title.{chosen.merge}"].format(
        map=texts[f"map.{chosen.map}"], layer=chosen.layer + 1, head=chosen.head + 1
    )
    return name + tokens_note(view, texts)


def lines_title(views: Sequence[View], texts: Mapping[str, str]) -> str:
    """Of heads of one layer that are drawn together, or of the one that is."""
    first = views[0]
    if len(views) == 1:
        return view_title(first, texts)
    kind, layer = texts[f"map.{first.selection.map}"], first.selection.layer + 1
    return texts["figure.title.heads"].format(map=kind, layer=layer) + tokens_note(first, texts)


def grid_title(view: View, texts: Mapping[str, str]) -> str:
    """Of all heads of the view's map."""
    return texts["figure.title.grid"].format(map=texts[f"map.{view.selection.map}"]) + tokens_note(view, texts)


def step_title(step: Step, texts: Mapping[str, str]) -> str:
    """Of all heads of the cross-attention at one step: which it is, and what it wrote."""
    return texts["figure.title.step"].format(
        map=texts["map.cross"], step=step.place + 1, count=step.count, token=label(step.taken.label)
    )


def seen_line(step: Step, texts: Mapping[str, str], longest: float = math.inf) -> str:
    """What had gone in. Of more than `longest` letters the beginning is left out, but never the last token."""
    tokens = [label(piece.label) for piece in step.seen]
    line = texts["figure.step.seen"].format(tokens=" ".join(tokens))
    while len(line) > longest and len(tokens) > 1:
        del tokens[0]
        line = texts["figure.step.seen"].format(tokens=" ".join(["…", *tokens]))
    return line


def next_line(step: Step, texts: Mapping[str, str]) -> str:
    """The likeliest next tokens with their probabilities; the one that came out is marked, wherever it ranks."""
    came_out = texts["figure.step.given" if step.forced else "figure.step.taken"]

    def chance(piece: Piece, log_prob: float) -> str:
        mark = f" ({came_out})" if piece.token == step.taken.token else ""
        return f"{label(piece.label)} {fraction(math.exp(log_prob), texts)}{mark}"

    told = [chance(*candidate) for candidate in step.candidates]
    if all(piece.token != step.taken.token for piece, _ in step.candidates):
        told += ["…", chance(step.taken, step.log_prob)]
    # Where it is broken into lines, it is so between candidates, not between a token and its number.
    whole = [candidate.replace(" ", "\N{NO-BREAK SPACE}") for candidate in told]
    return texts["figure.step.next"].format(candidates="\N{NO-BREAK SPACE}· ".join(whole))


def positions_title(table: Floats, base: float, texts: Mapping[str, str]) -> str:
    """Of the table (N, D) of sinusoidal positions."""
    length, d_model = table.shape
    return texts["figure.title.positions"].format(length=length, d_model=d_model, base=f"{base:.6g}")


def side_titles(view: View, texts: Mapping[str, str]) -> tuple[str, str]:
    """What rows and what columns are. In a rollout nothing looks: a row's state comes from the columns."""
    kind = view.selection.map
    if view.selection.merge != "rollout":
        return texts[f"figure.rows.{kind}"], texts[f"figure.columns.{kind}"]
    return texts["axis.state" if view.outputs is None else f"figure.rows.{kind}"], texts["axis.comes_from"]


def tokens_note(view: View, texts: Mapping[str, str]) -> str:
    """ " (whole words, special tokens hidden)", or as much of it as is so."""
    chosen = view.selection
    notes = [texts["figure.title.words"]] if chosen.units == "words" else []
    notes += [texts["figure.title.hidden"]] if chosen.special == "hidden" else []
    return f" ({', '.join(notes)})" if notes else ""
