/** The translation in large type, and the pieces that were read and written, with the likeliest at each step. */

import { make } from "../draw/dom.js";
import { candidatesAt } from "./candidates.js";
import { createPair } from "./pair.js";
import { createPieces } from "./pieces.js";

/** @typedef {import("../data/decode.js").Trace} Trace */

const ID = "hl-candidates";
/** Characters from which on the largest type would fill the screen. */
const LONG = 140;

/**
 * @param {HTMLElement} place
 * @param {import("../data/store.js").Store} store
 * @param {import("../draw/text.js").Wording} t
 */
export function mountResult(place, store, t) {
  const translation = make("p", { class: "hl-translation", dir: "auto", "data-result": "text" });
  const notes = make("p", { class: "hl-notes" });
  const pieces = createPieces(t, store.select, equip);
  const pair = createPair(t);
  const candidates = make("div", { class: "hl-candidates", role: "tooltip", id: ID, hidden: "" });
  // What is written here anew is read out: after Enter the focus stays in the sentence.
  const told = make("div", { "aria-live": "polite" }, translation, notes);
  const heading = make("h2", { class: "hl-unseen" }, t("result.title"));
  const root = make("div", { class: "hl hl-result" }, heading, told, pieces.root, pair.root, candidates);
  place.replaceChildren(root);
  /** @type {Trace | null} */
  let shown = null;
  /** @type {HTMLElement | null} the chip that the candidates stand under */
  let described = null;

  /** @param {Trace} trace */
  function fill(trace) {
    shown = trace;
    hide();
    translation.textContent = trace.text || t("result.empty");
    translation.lang = trace.target;
    translation.classList.toggle("hl-long", trace.text.length > LONG);
    notes.textContent = [
      trace.dropped > 0 && t("result.dropped", { count: trace.dropped }),
      !trace.finished && !trace.forced && t("result.unfinished"),
    ].filter(Boolean).join(" ");
    pair.update(trace);
  }

  /** @param {HTMLElement} chip @param {Trace} trace @param {number} step */
  function equip(chip, trace, step) {
    chip.addEventListener("pointerenter", () => show(trace, step, chip));
    chip.addEventListener("pointerleave", hide);
    chip.addEventListener("focus", () => show(trace, step, chip));
    chip.addEventListener("blur", hide);
    chip.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
  }

  /** @param {Trace} trace @param {number} step @param {HTMLElement} chip */
  function show(trace, step, chip) {
    candidates.replaceChildren(
      make("p", { class: "hl-candidates-title" }, t("result.candidates", { step: step + 1 })),
      ...candidatesAt(trace, step, t),
    );
    candidates.hidden = false;
    described = chip;
    chip.setAttribute("aria-describedby", ID);
    const room = root.clientWidth - candidates.offsetWidth;
    candidates.style.left = `${Math.max(0, Math.min(chip.offsetLeft, room))}px`;
    candidates.style.top = `${chip.offsetTop + chip.offsetHeight + 6}px`;
  }

  function hide() {
    described?.removeAttribute("aria-describedby"); // of another chip they would tell a wrong thing
    candidates.hidden = true;
  }

  function update() {
    const trace = store.trace();
    if (!trace) return;
    if (trace !== shown) fill(trace);
    const { step } = store.selection();
    root.dataset.step = String(step ?? "");
    pieces.update(trace, step);
  }

  update();
  return update;
}
