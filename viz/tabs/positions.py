"""Positions: the sinusoidal table of section 3.5 as heatmap, curves and similarity, redrawn by sliders."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from transformer.config import PRESETS
from transformer.layers import sinusoidal_positions
from viz.figures.positions import positions_curves, positions_heatmap, positions_similarity
from viz.text import best_language, texts

#: Lowest and highest value of each slider; the base's are powers of ten.
D_MODEL, LENGTH, BASE_EXPONENT = (8, 512), (4, 128), (1, 5)
MAX_CURVES = 8
#: A sine and its cosine, and three slower sines.
FIRST_DIMENSIONS = "0, 20, 21, 40, 60"


def draw_table(d_model: Any, length: Any, base_exponent: Any, locale: Any) -> tuple[Any, Any, dict[str, Any]]:
    """(heatmap, similarity, notice) of the table with base 10 ** base_exponent.

    What cannot be drawn leaves both figures as they are, and the notice says what may be asked for.
    """
    words = texts(best_language(locale))
    try:
        table = _table(d_model, length, base_exponent, words)
    except ValueError as error:
        return gr.skip(), gr.skip(), _notice(str(error))
    return positions_heatmap(table, words), positions_similarity(table, words), _notice("")


def draw_curves(
    d_model: Any, length: Any, base_exponent: Any, dimensions: Any, locale: Any
) -> tuple[Any, dict[str, Any]]:
    """(curves, notice) of some dimensions, "0, 20, 21". The notice names those that this table does not have.

    Dimensions that cannot be read leave axes without a curve, for the heatmap above may show another table by now. A
    table that cannot be drawn leaves the curves as they are, like the heatmap. The notice says why.
    """
    words = texts(best_language(locale))
    try:
        table = _table(d_model, length, base_exponent, words)
    except ValueError as error:
        return gr.skip(), _notice(str(error))
    try:
        wanted = _dimensions(dimensions, words)
    except ValueError as error:
        return positions_curves(table, [], words), _notice(str(error))
    last = table.shape[1] - 1
    left_out = ", ".join(str(dimension) for dimension in wanted if dimension > last)
    notice = words["positions.dimensions.left_out"].format(last=last, dimensions=left_out) if left_out else ""
    figure = positions_curves(table, [dimension for dimension in wanted if dimension <= last], words)
    return figure, _notice(notice)


class Positions(NamedTuple):
    """What the tab shows."""

    table: NDArray[np.float32]  # (length, d_model)
    dimensions: list[int]  # those that the table has
    base: float


def chosen_positions(fields: Sequence[Any], words: Mapping[str, str]) -> Positions:
    """As the tab's four fields say. Raises ValueError, in words."""
    d_model, length, base_exponent, dimensions = fields
    table = _table(d_model, length, base_exponent, words)
    drawn = [dimension for dimension in _dimensions(dimensions, words) if dimension < table.shape[1]]
    return Positions(table, drawn, 10.0**base_exponent)


def _table(d_model: Any, length: Any, base_exponent: Any, words: Mapping[str, str]) -> NDArray[np.float32]:
    """(length, d_model). Raises ValueError: whoever calls the endpoint by name can send anything at all."""
    _require(_whole(d_model) and _within(d_model, D_MODEL) and d_model % 2 == 0, "d_model", D_MODEL, words)
    _require(_whole(length) and _within(length, LENGTH), "length", LENGTH, words)
    _require(_within(base_exponent, BASE_EXPONENT), "base", BASE_EXPONENT, words)
    return sinusoidal_positions(int(length), int(d_model), 10.0**base_exponent).numpy()


def _within(value: Any, limits: tuple[int, int]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and limits[0] <= value <= limits[1]


def _whole(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _require(holds: bool, name: str, limits: tuple[int, int], words: Mapping[str, str]) -> None:
    if not holds:
        raise ValueError(words[f"positions.wrong.{name}"].format(lowest=limits[0], highest=limits[1]))


def _dimensions(text: Any, words: Mapping[str, str]) -> list[int]:
    """ "0, 20 21" -> [0, 20, 21], each once. Raises ValueError. Four digits are enough for any table here."""
    numbers = re.split(r"[\s,;]+", text.strip(" ,;")) if isinstance(text, str) else []
    readable = all(re.fullmatch(r"[0-9]{1,4}", number) for number in numbers)
    wanted = list(dict.fromkeys(map(int, numbers))) if readable else []
    if not 1 <= len(wanted) <= MAX_CURVES:
        raise ValueError(words["positions.wrong.dimensions"].format(count=MAX_CURVES))
    return wanted


def _notice(sentence: str) -> dict[str, Any]:
    return gr.update(value=sentence, visible=bool(sentence))


def build_positions_tab(tab: gr.Tab, i18n: Callable[[str], Any]) -> list[Any]:
    """The content of `tab`; gives its fields: d_model, length, exponent of the base, dimensions.

    It is drawn when the tab is opened, and again whenever a slider stands elsewhere.
    """
    gr.Markdown(i18n("positions.title"), elem_id="positions-title")
    gr.Markdown(i18n("positions.intro"), elem_id="positions-intro", latex_delimiters=_LATEX)
    with gr.Row():
        d_model = gr.Slider(
            *D_MODEL, value=PRESETS["shipped"].d_model, step=2, label=i18n("positions.d_model.label"), elem_id="d-model"
        )
        length = gr.Slider(*LENGTH, value=50, step=1, label=i18n("positions.length.label"), elem_id="length")
        base = gr.Slider(
            *BASE_EXPONENT,
            value=4,
            step=0.1,
            label=i18n("positions.base.label"),
            info=i18n("positions.base.info"),
            elem_id="base",
        )
    table_notice = gr.Markdown(visible=False, elem_id="positions-notice")
    heatmap = _figure("table", i18n)
    with gr.Row():
        with gr.Column(min_width=320):
            curves = _figure("curves", i18n)
            dimensions = gr.Textbox(
                FIRST_DIMENSIONS, label=i18n("positions.dimensions.label"), elem_id="dimensions", max_lines=1
            )
            curves_notice = gr.Markdown(visible=False, elem_id="dimensions-notice")
        with gr.Column(min_width=320):
            similarity = _figure("similarity", i18n)

    sliders = [d_model, length, base]
    locale = gr.JSON(visible=False)
    opened_or_moved = [tab.select, *(slider.change for slider in sliders)]
    gr.on(
        opened_or_moved,
        draw_table,
        [*sliders, locale],
        [heatmap, similarity, table_notice],
        js=_with_locale(3),
        **_LIGHT,
    )
    gr.on(
        [*opened_or_moved, dimensions.submit, dimensions.blur],
        draw_curves,
        [*sliders, dimensions, locale],
        [curves, curves_notice],
        js=_with_locale(4),
        **_LIGHT,
    )
    tab.select(None, js=_FIT, api_visibility="private")
    return [*sliders, dimensions]


_LATEX = [{"left": "$$", "right": "$$", "display": True}, {"left": "$", "right": "$", "display": False}]
# A figure does not notice that the window was resized while its tab was hidden.
_FIT = "() => { setTimeout(() => window.dispatchEvent(new Event('resize')), 50); }"
# Values go to the handlers as they came (preprocess=False), so that they can answer a wrong type with a sentence.
_LIGHT: dict[str, Any] = {
    "api_visibility": "private",
    "show_progress": "hidden",
    "queue": False,
    "trigger_mode": "always_last",
    "preprocess": False,
}


def _figure(name: str, i18n: Callable[[str], Any]) -> gr.Plot:
    gr.Markdown(i18n(f"positions.{name}.title"), elem_id=f"positions-{name}-title")
    gr.Markdown(i18n(f"positions.{name}.reading"))
    return gr.Plot(show_label=False, container=False, elem_id=f"positions-{name}")


def _with_locale(values: int) -> str:
    """Puts the browser's language in the last place, where the handler reads it."""
    return f"(...values) => [...values.slice(0, {values}), navigator.language]"
