/** Masks side by side: allowed cells in one colour, forbidden ones hatched. */

import { decodeMasks } from "../data/decode.js";
import { make } from "../draw/dom.js";
import { swatch } from "../draw/legend.js";
import { paintMask } from "../draw/matrix.js";
import { createPlot, roomOnPage } from "../draw/plot.js";
import { createSpeaker } from "../draw/speak.js";
import { filled } from "../draw/text.js";
import { spokenText, tokenElement } from "../draw/token.js";
import { eachOf } from "./naming.js";

/** @typedef {import("../data/decode.js").MaskPanel} MaskPanel */
/** @typedef {import("../draw/plot.js").Cell} Cell */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** @param {HTMLElement} place @param {Wording} t @returns {(json: string) => void} shows another payload */
export function mountMasks(place, t) {
  const panels = make("div", { class: "hl-panels" });
  const legend = make("div", { class: "hl-legend" },
    swatch("hl-swatch-allowed", t("mask.allowed")), swatch("", t("legend.forbidden")));
  const root = make("div", { class: "hl hl-masks", "data-drawn": 0 },
    make("h2", { class: "hl-part-title" }, t("tab.masks")), legend, panels);
  place.replaceChildren(root);
  /** @type {ReturnType<typeof createPanel>[]} */
  let shown = [];
  /** @type {string | null} what came while there was no room: in a tab that is not open nothing is made */
  let waiting = null;
  let width = 0;
  /** All panels are as wide: asked before the first is fitted, or each would have the page laid out anew. */
  let room = { width: 0, height: 0 };

  function draw() {
    width = root.clientWidth;
    if (!width) return;
    if (waiting !== null) build(waiting);
    waiting = null;
    if (shown.length > 0) room = roomOnPage(shown[0].root);
    shown.forEach((panel) => panel.fit());
    root.dataset.drawn = String(Number(root.dataset.drawn) + 1);
  }

  /** @param {string} json */
  function build(json) {
    const payload = decodeMasks(json);
    shown = payload.panels.map((panel) => createPanel(panel, payload.specialTokens, () => room, t));
    panels.replaceChildren(...shown.map((panel) => panel.root));
  }

  new ResizeObserver(() => {
    if (root.clientWidth !== width) requestAnimationFrame(draw);
  }).observe(root);

  return (json) => {
    waiting = json;
    draw();
  };
}

/**
 * @param {MaskPanel} panel @param {string[]} specialTokens
 * @param {() => import("../draw/plot.js").Room} room
 * @param {Wording} t
 */
function createPanel(panel, specialTokens, room, t) {
  const readout = make("div", { class: "hl-readout" });
  const speaker = createSpeaker();
  const plot = createPlot({ onCell: describe, room });
  const piece = (/** @type {string} */ token) => ({ token, special: specialTokens.includes(token) });
  const pieces = (/** @type {string[]} */ tokens) => tokens.map(piece);
  const axes = {
    rows: pieces(panel.rows), columns: pieces(panel.columns), outputs: null, noted: false,
    titles: { row: t("axis.looks"), column: t("axis.looked_at"), output: "", note: "" },
  };

  /** @param {Cell | null} cell @param {"pointer" | "keys"} by */
  function describe(cell, by) {
    speaker.hush();
    for (const name of ["row", "column", "allowed"]) delete readout.dataset[name];
    if (!cell) {
      readout.replaceChildren(make("span", { class: "hl-hint" }, t("mask.hint")));
      return;
    }
    const allowed = panel.allowed[cell.row * panel.columns.length + cell.column] === 1;
    Object.assign(readout.dataset, { ...cell, allowed });
    const key = allowed ? "mask.may" : "mask.may_not";
    const told = { row: axes.rows[cell.row], column: axes.columns[cell.column] };
    readout.replaceChildren(make("span", {}, ...filled(t(key), eachOf(told, tokenElement))));
    if (by === "keys") speaker.say(t(key, eachOf(told, spokenText)));
  }

  plot.setAxes(axes);
  plot.setLabel(t("mask.label", { name: t(panel.id) }));
  paintMask(plot.canvas, panel.allowed, panel.rows.length, panel.columns.length);
  describe(null, "pointer");
  const root = make("section", { class: "hl-panel", "data-mask": panel.id },
    make("h3", { class: "hl-head-title" }, t(panel.id)), make("p", { class: "hl-reading" }, t(panel.reading)),
    plot.root, readout, speaker.root);
  return { root, fit: plot.fit };
}
