"""What a view is called, in words. Layers and heads count from 1 here, as on the page."""

from collections.abc import Mapping, Sequence

from transformer.trace import Floats
from viz.view import View


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
