/** A view as a heatmap, with the cell that is pointed at in words and numbers. */

import { rowOfStep } from "../data/layout.js";
import { weightAt } from "../data/matrices.js";
import { make } from "../draw/dom.js";
import { paintView } from "../draw/matrix.js";
import { createPlot } from "../draw/plot.js";
import { createSpeaker } from "../draw/speak.js";
import { filled } from "../draw/text.js";
import { spokenText, tokenElement } from "../draw/token.js";
import { eachOf, pairOf, sideTitles } from "./naming.js";

/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */
/** @typedef {import("../draw/plot.js").Cell} Cell */
/** @typedef {import("../draw/text.js").Wording} Wording */

/**
 * @param {View} view @param {Selection["merge"]} merge @param {Wording} t
 * @returns {import("../draw/plot.js").Axes}
 */
function axesOf({ layout, hiddenShare }, merge, t) {
  return {
    rows: layout.rows.pieces,
    columns: layout.columns.pieces,
    outputs: layout.outputs,
    noted: hiddenShare !== null,
    titles: sideTitles(layout, merge, t),
  };
}

/** @param {Wording} t @param {() => import("../draw/plot.js").Room} [room] that the plot may take */
export function createHeatmap(t, room) {
  const readout = make("div", { class: "hl-readout" });
  const speaker = createSpeaker();
  const plot = createPlot({ onCell: (cell, by) => describe(cell, by), room });
  const root = make("div", { class: "hl-heatmap" }, plot.root, readout, speaker.root);
  /** @type {{view: View, merge: Selection["merge"], name: string} | null} */
  let shown = null;

  function describe(/** @type {Cell | null} */ cell, /** @type {"pointer" | "keys"} */ by) {
    speaker.hush();
    for (const name of ["row", "column", "weight", "forbidden", "blank", "hidden"]) delete readout.dataset[name];
    if (!cell || !shown) {
      readout.replaceChildren(make("span", { class: "hl-hint" }, t("readout.hint")));
      return;
    }
    const { view, merge, name } = shown;
    const { key, pieces } = pairOf(view.layout, merge, cell.row, cell.column);
    const weight = weightAt(view.matrix, cell.row, cell.column);
    const state = weight === null ? "forbidden" : view.blank?.[cell.row] ? "blank" : "";
    const words = weight === null ? t("readout.forbidden") : state ? t("readout.blank") : t.fraction(weight);
    const pairKey = state ? `${key}_${state}` : key;
    const share = view.hiddenShare?.[cell.row];
    const hidden = share === undefined ? "" : t("readout.hidden", { percent: t.percent(share) });
    Object.assign(readout.dataset, { ...cell, weight: state === "blank" ? "" : (weight ?? 0).toFixed(4) });
    Object.assign(readout.dataset, { forbidden: weight === null, blank: state === "blank" });
    if (share !== undefined) readout.dataset.hidden = share.toFixed(4);
    readout.replaceChildren(
      make("strong", { class: state ? `hl-value hl-value-${state}` : "hl-value" }, words),
      make("span", { class: "hl-pair" }, ...filled(t(pairKey), eachOf(pieces, tokenElement))),
      make("span", { class: "hl-where" }, [name, hidden].filter(Boolean).join(" · ")),
    );
    const spoken = t("readout.spoken", { pair: t(pairKey, eachOf(pieces, spokenText)), weight: words });
    if (by === "keys") speaker.say([spoken, hidden].filter(Boolean).join(", "));
  }

  return {
    root,
    fit: plot.fit,
    /** @param {View} view @param {Selection} selection @param {{name: string, label: string}} called */
    update(view, { step, merge }, { name, label }) {
      const fresh = shown?.view.layout !== view.layout || !shown.view.hiddenShare !== !view.hiddenShare ||
        (shown.merge === "rollout") !== (merge === "rollout");
      shown = { view, merge, name };
      plot.setLabel(label);
      if (fresh) plot.setAxes(axesOf(view, merge, t));
      if (view.hiddenShare) plot.setNotes(Array.from(view.hiddenShare, t.percent));
      paintView(plot.canvas, view);
      plot.setStep(rowOfStep(view.layout, step));
      describe(plot.cell(), "pointer");
    },
  };
}
