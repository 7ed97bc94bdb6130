/** The chosen head, large, with the cell that is pointed at in words and numbers. */

import { rowOfStep } from "../data/layout.js";
import { weightAt } from "../data/matrices.js";
import { make } from "../draw/dom.js";
import { paintView } from "../draw/matrix.js";
import { createPlot } from "../draw/plot.js";
import { filled } from "../draw/text.js";
import { tokenElement, tokenText } from "../draw/token.js";

/** Milliseconds of rest before a cell reached by keys is spoken, so that holding a key does not chatter. */
const SPEAK_AFTER = 300;

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */

/** @param {import("../data/layout.js").Layout} layout @returns {import("../draw/plot.js").Axes} */
function axesOf({ rows, columns, outputs }, t) {
  return {
    rows: rows.pieces,
    columns: columns.pieces,
    outputs,
    rowTitle: t(outputs ? "axis.went_in" : "axis.looks"),
    columnTitle: t("axis.looked_at"),
    outputTitle: t("axis.came_out"),
  };
}

/** What is special about this head, if it is the one that points at what is being copied. */
function alignmentNote({ alignmentHead }, { map, layer, head }, t) {
  if (map !== "cross" || alignmentHead?.layer !== layer || alignmentHead.head !== head) return "";
  const percent = t.percent(alignmentHead.accuracy);
  return t(alignmentHead.trained ? "head.trained_to_align" : "head.aligns", { percent });
}

/** The same names with what `call` makes of each value. */
const eachOf = (values, call) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, call(value)]));

export function createHead(t) {
  const title = make("h3", { class: "hl-head-title" });
  const note = make("p", { class: "hl-head-note" });
  const readout = make("div", { class: "hl-readout" });
  const spoken = make("div", { class: "hl-unseen", "aria-live": "polite" });
  const plot = createPlot({ onCell: (cell, by) => describe(cell, by) });
  const root = make("section", { class: "hl-head" }, title, note, plot.root, readout, spoken);
  /** @type {{view: View, selection: Selection, axes: import("../draw/plot.js").Axes} | null} */
  let shown = null;
  let timer = 0;

  function describe(cell, by) {
    clearTimeout(timer);
    for (const name of ["row", "column", "weight", "forbidden"]) delete readout.dataset[name];
    if (!cell || !shown) {
      readout.replaceChildren(make("span", { class: "hl-hint" }, t("readout.hint")));
      return;
    }
    const { view, selection: { layer, head }, axes } = shown;
    const weight = weightAt(view.matrix, cell.row, cell.column);
    const forbidden = weight === null;
    const words = forbidden ? t("readout.forbidden") : t.fraction(weight);
    Object.assign(readout.dataset, { ...cell, weight: (weight ?? 0).toFixed(4), forbidden });
    const key = `readout.${axes.outputs ? "written" : "read"}${forbidden ? "_forbidden" : ""}`;
    const pieces = { row: axes.rows[cell.row], column: axes.columns[cell.column] };
    if (axes.outputs) pieces.output = axes.outputs[cell.row];
    readout.replaceChildren(
      make("strong", { class: forbidden ? "hl-value hl-value-forbidden" : "hl-value" }, words),
      make("span", { class: "hl-pair" }, ...filled(t(key), eachOf(pieces, tokenElement))),
      make("span", { class: "hl-where" }, t("head.name", { layer: layer + 1, head: head + 1 })),
    );
    if (by === "keys") speak(t("readout.spoken", { pair: t(key, eachOf(pieces, tokenText)), weight: words }));
  }

  function speak(sentence) {
    timer = setTimeout(() => (spoken.textContent = sentence), SPEAK_AFTER);
  }

  return {
    root,
    fit: plot.fit,
    /** @param {Trace} trace @param {Selection} selection @param {View} view */
    update(trace, selection, view) {
      const { map, layer, head, step } = selection;
      const fresh = shown?.view.layout !== view.layout;
      shown = { view, selection, axes: fresh ? axesOf(view.layout, t) : shown.axes };
      const name = t("head.name", { layer: layer + 1, head: head + 1 });
      title.textContent = `${t(`map.${map}`)} · ${name}`;
      note.textContent = alignmentNote(trace, selection, t);
      plot.setLabel(t("head.label", { map: t(`map.${map}`), name }));
      if (fresh) plot.setAxes(shown.axes);
      paintView(plot.canvas, view);
      plot.setStep(rowOfStep(view.layout, step));
      describe(plot.cell(), "pointer");
    },
  };
}
