/** The sentence in pieces: those that were read in one row, and in another those that were written, a button a step. */

import { sourcePieces, writtenPieces } from "../data/layout.js";
import { make, movedByKey, rove } from "../draw/dom.js";
import { tokenElement, tokenText } from "../draw/token.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/layout.js").Piece} Piece */

/**
 * A written piece is tinted by its probability. Pressed, it selects its step, and once more, none. Arrow keys move in
 * them: however long the sentence, they are one stop of the tab key.
 * @param {import("../draw/text.js").Wording} t
 * @param {(change: {step: number | null}) => void} onChoose
 * @param {(chip: HTMLElement, trace: Trace, step: number) => void} [equip] adds what else a written piece does
 */
export function createPieces(t, onChoose, equip = () => {}) {
  const source = make("ol", { class: "hl-chips", "aria-label": t("result.source") });
  const output = make("ol", { class: "hl-chips" });
  const outputName = chipRowName("");
  const outputRow = chipRow(outputName, output);
  outputRow.setAttribute("role", "toolbar");
  const root = make("div", { class: "hl-pieces" }, chipRow(chipRowName(t("result.source")), source), outputRow);
  /** @type {HTMLElement[]} */
  let chips = [];
  /** @type {Trace | null} */
  let shown = null;
  /** @type {number | null} */
  let chosen = null;

  /** @param {Trace} trace */
  function fill(trace) {
    shown = trace;
    outputName.textContent = t(trace.forced ? "result.typed" : "result.output");
    outputRow.setAttribute("aria-label", outputName.textContent);
    output.lang = trace.target;
    source.replaceChildren(...sourcePieces(trace).map(chipItem));
    chips = writtenPieces(trace, trace.outputTokens).map((piece, step) => outputChip(trace, piece, step));
    output.replaceChildren(...chips.map((chip) => make("li", {}, chip)));
  }

  /** @param {Trace} trace @param {Piece} piece @param {number} step */
  function outputChip(trace, piece, step) {
    const chip = make("button", { type: "button", class: "hl-chip hl-output", "data-step": step }, tokenElement(piece));
    chip.style.setProperty("--probability", Math.exp(trace.logProbs[step]).toFixed(4));
    chip.addEventListener("click", () => onChoose({ step: step === chosen ? null : step }));
    chip.addEventListener("focus", () => rove(chips, chip));
    chip.addEventListener("keydown", (event) => move(event, step));
    equip(chip, trace, step);
    return chip;
  }

  /** Up and down are the page's. @param {KeyboardEvent} event @param {number} step */
  function move(event, step) {
    const next = movedByKey(event, { row: 0, column: step }, { rows: 1, columns: chips.length });
    if (!next || next.column === step) return;
    event.preventDefault();
    chips[next.column].focus();
  }

  return {
    root,
    /** @param {Trace} trace @param {number | null} step that is selected */
    update(trace, step) {
      if (trace !== shown) fill(trace);
      chosen = step;
      chips.forEach((chip, i) => chip.setAttribute("aria-pressed", String(i === step)));
      if (!output.contains(document.activeElement)) rove(chips, chips[step ?? 0]);
    },
  };
}

/** A piece that is not a button. @param {Piece} piece */
export function chipItem(piece) {
  return make("li", {}, make("span", { class: "hl-chip", title: tokenText(piece) }, tokenElement(piece)));
}

/** Not read out: the list has the same name. @param {string} name */
export function chipRowName(name) {
  return make("span", { class: "hl-chip-name", "aria-hidden": true }, name);
}

/** @param {HTMLElement} name @param {HTMLElement} list */
export function chipRow(name, list) {
  return make("div", { class: "hl-chip-row" }, name, list);
}
