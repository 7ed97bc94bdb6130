/** The badge: what was checked about the weights on show, with how far off they are. */

import { make } from "../draw/dom.js";

/** @typedef {import("../data/decode.js").Trace} Trace */

/**
 * What is still float32 arithmetic and no mistake: sums of up to some hundred weights, and log-probabilities of a
 * second run whose sums may be taken in another order.
 */
const TOLERANCES = { rowSum: 1e-5, replay: 1e-4 };

/** @param {import("../draw/text.js").Wording} t */
export function createProof(t) {
  const rows = make("span", { class: "hl-proof-part" });
  const replay = make("span", { class: "hl-proof-part" });
  const explanation = t("proof.explanation", {
    rows: t.scientific(TOLERANCES.rowSum), replay: t.scientific(TOLERANCES.replay),
  });
  const root = make("details", { class: "hl-proof" },
    make("summary", {}, rows, " ", replay), make("p", { class: "hl-proof-explanation" }, explanation));

  /**
   * @param {HTMLElement} part
   * @param {"rowSum" | "replay"} name
   * @param {number} value
   * @param {string} key of the sentence when all is well; `key_wrong` is that of the warning
   */
  function show(part, name, value, key) {
    const tolerance = TOLERANCES[name];
    const holds = value <= tolerance; // false for NaN
    const numbers = { value: t.scientific(value), tolerance: t.scientific(tolerance) };
    part.textContent = t(holds ? key : `${key}_wrong`, numbers);
    part.dataset.holds = String(holds);
    part.dataset[name] = String(value);
  }

  return {
    root,
    /** @param {Trace} trace */
    update({ proof }) {
      show(rows, "rowSum", proof.rowSum, "proof.rows");
      show(replay, "replay", proof.replay, "proof.replay");
    },
  };
}
