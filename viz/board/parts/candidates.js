/** The likeliest tokens of a step with their probabilities, and the one that was taken, wherever it ranks. */

import { make } from "../draw/dom.js";
import { tokenElement } from "../draw/token.js";

/** @typedef {import("../data/decode.js").Trace} Trace */

const CANDIDATES = 5;

/** @param {Trace} trace @param {number} step @param {import("../draw/text.js").Wording} t @returns {HTMLElement[]} */
export function candidatesAt(trace, step, t) {
  const taken = trace.outputTokens[step];
  const likeliest = trace.topK[step].slice(0, CANDIDATES);
  const isRanked = likeliest.some(([token]) => token === taken);
  const list = make("ol", {}, ...likeliest.map((candidate) => candidateRow(trace, candidate, taken, "li", t)));
  return isRanked ? [list] : [list, candidateRow(trace, [taken, trace.logProbs[step]], taken, "div", t)];
}

/**
 * @param {Trace} trace @param {[string, number]} candidate @param {string} taken @param {string} tag
 * @param {import("../draw/text.js").Wording} t
 */
function candidateRow(trace, [token, logProb], taken, tag, t) {
  const probability = Math.exp(logProb);
  const bar = make("span", { class: "hl-bar" });
  bar.style.setProperty("--probability", probability.toFixed(4));
  const name = make("span", { class: "hl-candidate-name" },
    tokenElement({ token, special: trace.specialTokens.includes(token) }));
  if (token === taken) name.append(make("span", { class: "hl-mark" }, t(trace.forced ? "step.typed" : "step.taken")));
  return make(tag, { class: token === taken ? "hl-candidate hl-taken" : "hl-candidate" },
    name, bar, make("span", { class: "hl-number" }, t.fraction(probability)));
}
