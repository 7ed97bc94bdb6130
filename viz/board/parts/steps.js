/** Step by step: what the decoder had been given, what might come next, and where every head looked meanwhile. */

import { sourcePieces } from "../data/layout.js";
import { headsAt, seenAt, stepOf, writtenAt } from "../data/step.js";
import { make } from "../draw/dom.js";
import { drawInRoom } from "../draw/drawing.js";
import { createLegend } from "../draw/legend.js";
import { paintView } from "../draw/matrix.js";
import { createPlot } from "../draw/plot.js";
import { createSpeaker } from "../draw/speak.js";
import { filled } from "../draw/text.js";
import { spokenText, tokenElement } from "../draw/token.js";
import { candidatesAt } from "./candidates.js";
import { eachOf } from "./naming.js";
import { chipItem, chipRow, chipRowName } from "./pieces.js";
import { createPlayer } from "./player.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../draw/plot.js").Cell} Cell */
/** @typedef {import("../draw/text.js").Wording} Wording */
/** @typedef {import("../draw/matrix.js").Cells} Cells */
/** What is on the screen. @typedef {{trace: Trace, step: number, cells: Cells}} Shown */

/**
 * `data-step` on the root, from 0, tells what is drawn, and `data-drawn` counts drawings.
 * @param {HTMLElement} place
 * @param {import("../data/store.js").Store} store
 * @param {Wording} t
 */
export function mountSteps(place, store, t) {
  const player = createPlayer(t, (step) => store.select({ step }));
  const seen = createSeen(t);
  const title = make("h3", { class: "hl-head-title" });
  const candidates = make("div", { class: "hl-step-candidates" });
  const heads = createHeads(t, (layer, head) => store.select({ map: "cross", merge: "head", layer, head }));
  const root = make("div", { class: "hl hl-steps", "data-drawn": 0 },
    make("h2", { class: "hl-part-title" }, t("step.title")),
    make("p", { class: "hl-reading" }, t("step.reading")), player.root,
    make("div", { class: "hl-step-stage" }, make("section", {}, seen.root, title, candidates), heads.root));
  place.replaceChildren(root);
  /** @type {Shown | null} */
  let shown = null;
  /** Of the selection, all that this view shows. */
  let followed = "";

  const follows = (/** @type {Selection} */ { step, map, merge, layer, head }) =>
    [step, map, merge, layer, head].join();

  function draw() {
    const trace = store.trace();
    if (!trace) return;
    const selection = store.selection();
    followed = follows(selection);
    const step = stepOf(selection);
    if (trace !== shown?.trace) player.stop();
    if (trace !== shown?.trace || step !== shown.step) {
      player.update(step, trace.outputTokens.length, spokenText(writtenAt(trace, step)));
      seen.update(trace, step);
      title.textContent = t("result.candidates", { step: step + 1 });
      candidates.replaceChildren(...candidatesAt(trace, step, t));
      shown = { trace, step, cells: { matrix: headsAt(trace, step), blank: null, scale: 1 } };
      root.dataset.step = String(step);
      root.dataset.drawn = String(Number(root.dataset.drawn) + 1);
    }
    heads.update(shown, selection);
  }

  const drawSoon = drawInRoom(root, draw, heads.fit);

  /** Asking for the width would have the page laid out: not while another view changes and this one does not. */
  function update() {
    if (store.trace() !== shown?.trace || follows(store.selection()) !== followed) drawSoon();
  }

  drawSoon();
  return update;
}

/** What has gone into the decoder, and what it writes next. @param {Wording} t */
function createSeen(t) {
  const chips = make("ol", { class: "hl-chips", "aria-label": t("step.seen") });
  const next = make("span", { class: "hl-chip hl-output hl-next" });
  const nextName = make("span", { class: "hl-chip-name" });
  const root = make("div", { class: "hl-seen" }, chipRow(chipRowName(t("step.seen")), chips), chipRow(nextName, next));

  return {
    root,
    /** @param {Trace} trace @param {number} step */
    update(trace, step) {
      chips.lang = next.lang = trace.target;
      chips.replaceChildren(...seenAt(trace, step).map(chipItem));
      nextName.textContent = t(trace.forced ? "result.typed" : "step.comes");
      next.replaceChildren(tokenElement(writtenAt(trace, step)));
      next.style.setProperty("--probability", Math.exp(trace.logProbs[step]).toFixed(4));
    },
  };
}

/**
 * The step's row of every head under one another; a cell that is clicked chooses its head.
 * @param {Wording} t @param {(layer: number, head: number) => void} onChoose
 */
function createHeads(t, onChoose) {
  const readout = make("div", { class: "hl-readout" });
  const speaker = createSpeaker();
  const legend = createLegend(t);
  const plot = createPlot({ onCell: describe });
  const root = make("section", { class: "hl-step-heads" },
    make("h3", { class: "hl-head-title" }, t("step.heads")),
    make("p", { class: "hl-reading" }, t("step.heads.reading")),
    plot.root, readout, legend.root, speaker.root);
  /** @type {Shown | null} */
  let shown = null;

  const headOf = (/** @type {number} */ row) => {
    const heads = shown?.trace.maps.cross.heads ?? 1;
    return { layer: Math.floor(row / heads), head: row % heads };
  };
  const nameOf = (/** @type {number} */ row) => {
    const { layer, head } = headOf(row);
    return t("head.name", { layer: layer + 1, head: head + 1 });
  };

  /** @param {Cell | null} cell @param {"pointer" | "keys"} by */
  function describe(cell, by) {
    speaker.hush();
    for (const name of ["row", "column", "weight"]) delete readout.dataset[name];
    if (!cell || !shown) {
      readout.replaceChildren(make("span", { class: "hl-hint" }, t("step.hint")));
      return;
    }
    const { trace, step, cells } = shown;
    const weight = cells.matrix.weights[cell.row * cells.matrix.columns + cell.column];
    const pieces = { output: writtenAt(trace, step), column: sourcePieces(trace)[cell.column] };
    Object.assign(readout.dataset, { ...cell, weight: weight.toFixed(4) });
    readout.replaceChildren(
      make("strong", { class: "hl-value" }, t.fraction(weight)),
      make("span", { class: "hl-pair" }, ...filled(t("step.pair"), eachOf(pieces, tokenElement))),
      make("span", { class: "hl-where" }, nameOf(cell.row)),
    );
    const pair = `${nameOf(cell.row)}: ${t("step.pair", eachOf(pieces, spokenText))}`;
    if (by === "keys") speaker.say(t("readout.spoken", { pair, weight: t.fraction(weight) }));
  }

  /** @param {Trace} trace @returns {import("../draw/plot.js").Axes} */
  function axesOf(trace) {
    const { layers, heads } = trace.maps.cross;
    return {
      rows: Array.from({ length: layers * heads }, (_, row) => {
        const { layer, head } = headOf(row);
        return { token: `${layer + 1} · ${head + 1}` };
      }),
      columns: sourcePieces(trace), outputs: null, noted: false,
      titles: { row: t("step.axis"), column: t("axis.looked_at"), output: "", note: "" },
    };
  }

  function choose() {
    const cell = plot.cell();
    if (!cell) return;
    const { layer, head } = headOf(cell.row);
    onChoose(layer, head);
  }

  plot.canvas.addEventListener("click", choose);
  plot.canvas.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") choose();
  });

  return {
    root, fit: plot.fit,
    /** @param {Shown} next @param {Selection} selection */
    update(next, { map, merge, layer, head }) {
      const isNew = next.trace !== shown?.trace;
      const isMoved = next !== shown;
      shown = next;
      if (isNew) {
        plot.setAxes(axesOf(next.trace));
        root.style.setProperty("--heads", String(next.trace.maps.cross.heads));
        legend.update(next.cells, false, false);
      }
      if (isMoved) {
        paintView(plot.canvas, next.cells);
        plot.setLabel(t("step.label", { step: next.step + 1 }));
        describe(plot.cell(), "pointer");
      }
      plot.setStep(map === "cross" && merge === "head" ? layer * next.trace.maps.cross.heads + head : null);
    },
  };
}
