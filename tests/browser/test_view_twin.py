"""The page and Python make the same views: every selection of one payload, by the board's own modules in Chromium."""

import dataclasses
import itertools
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from playwright.sync_api import Browser

import viz.board
from transformer.trace import KINDS, Trace
from transformer.translator import Translator
from viz.board.bundle import bundle
from viz.board.payload import SCALE, board_payload, in_steps
from viz.view import Merge, Selection, View, view_of

_VIEWS = """(() => {
%s
return (payload, selections) => {
  const trace = decodeTrace(payload);
  const names = (pieces) => pieces && pieces.map(({ token, special = false }) => [token, special]);
  return selections.map((selection) => {
    const { matrix, layout, hiddenShare, blank, scale } = viewOf(trace, selection);
    const { weights, allowed } = matrix;
    return {
      weights: [...weights], allowed: allowed && [...allowed], scale, shape: [matrix.rows, matrix.columns],
      rows: names(layout.rows.pieces), columns: names(layout.columns.pieces), outputs: names(layout.outputs),
      hiddenShare: hiddenShare && [...hiddenShare], blank: blank && [...blank],
    };
  });
};
})()"""


def every_selection(trace: Trace) -> list[dict[str, Any]]:
    """As the page has them. What a merge does not look at (head, or layer too) is tried at one place only."""
    found = []
    for kind, merge in itertools.product(KINDS, get_args(Merge)):
        layers, heads = trace.weights(kind).shape[:2]
        places = itertools.product(
            range(1 if merge.startswith("all") else layers), range(heads if merge == "head" else 1)
        )
        for (layer, head), units, special, scale in itertools.product(
            places, ("pieces", "words"), ("shown", "hidden"), ("fixed", "stretched")
        ):
            how = {"merge": merge, "units": units, "special": special, "scale": scale}
            found.append(
                {"tab": "attention", "map": kind, "layer": layer, "head": head, "step": None, "lines": [], **how}
            )
    return found


def as_sent(trace: Trace) -> Trace:
    """The trace with the weights that the payload has room for."""
    packed: dict[str, Any] = {kind: (in_steps(trace.weights(kind)) / SCALE).astype(np.float32) for kind in KINDS}
    return dataclasses.replace(trace, **packed)


def assert_same(page: dict[str, Any], ours: View) -> None:
    def names(pieces: Any) -> Any:
        return pieces and [[piece.token, piece.special] for piece in pieces]

    assert (page["rows"], page["columns"], page["outputs"]) == (
        names(ours.rows),
        names(ours.columns),
        names(ours.outputs),
    )
    assert tuple(page["shape"]) == ours.weights.shape
    np.testing.assert_allclose(page["weights"], ours.weights.ravel(), atol=1e-4)
    allowed = np.ones(ours.mask.size) if page["allowed"] is None else page["allowed"]
    np.testing.assert_array_equal(np.array(allowed, bool), ours.mask.ravel())
    assert page["scale"] == pytest.approx(ours.scale, abs=1e-4)
    assert (page["hiddenShare"] is None) == (ours.hidden_share is None)
    if ours.hidden_share is not None:
        np.testing.assert_allclose(page["hiddenShare"], ours.hidden_share, atol=1e-4)
        np.testing.assert_array_equal(np.array(page["blank"], bool), ours.blank)


@pytest.mark.parametrize(
    ("text", "target"), [("No sé por qué el bibliotecario llegó tarde.", "en"), ("I don't like well-known 漢字.", "es")]
)
def test_page_and_python_make_the_same_views(browser: Browser, translator: Translator, text: str, target: str) -> None:
    trace = translator.trace(text, target)
    selections = every_selection(trace)
    page = browser.new_page()
    script = _VIEWS % bundle(Path(viz.board.__file__).parent, "adapter.js")
    payload = board_payload(trace, translator.proof(trace))
    seen = page.evaluate(f"([payload, selections]) => ({script})(payload, selections)", [payload, selections])
    page.close()
    assert len(seen) == len(selections) > 500
    for selected, one in zip(selections, seen, strict=True):
        assert_same(one, view_of(as_sent(trace), Selection.of(selected)))
