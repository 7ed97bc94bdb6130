/** Where the output was typed: said to be, and set beside what the model would have written. */

import { make } from "../draw/dom.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/decode.js").OwnChoice} OwnChoice */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** @param {Trace} trace @returns {number} natural log of the probability of the whole output */
const totalOf = (trace) => trace.logProbs.reduce((sum, logProb) => sum + logProb, 0);

/**
 * The key of the sentence that says which is likelier. Totals that look the same are the same: a sentence must not tell
 * apart what the numbers beside it do not.
 * @param {Trace} trace @param {OwnChoice} own @param {Wording} t
 */
function verdict(trace, own, t) {
  if (!trace.finished || !own.finished) return "pair.incomparable";
  const total = totalOf(trace);
  if (t.fraction(total) === t.fraction(own.logProb)) return "pair.equal";
  return total > own.logProb ? "pair.typed_likelier" : "pair.own_likelier";
}

/** @param {Wording} t */
export function createPair(t) {
  const cut = make("p");
  const rows = make("tbody");
  const likelier = make("p", { class: "hl-pair-verdict" });
  const heads = [t("pair.written_by"), t("pair.text"), t("pair.log_prob")];
  const root = make("section", { class: "hl-typed-pair", "aria-label": t("pair.mark"), hidden: "" },
    make("p", { class: "hl-pair-mark" }, t("pair.mark")), cut,
    make("table", {},
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), rows),
    likelier, make("p", { class: "hl-pair-hint" }, t("pair.hint")));

  /** @param {string} name @param {string} who @param {Trace} trace @param {string} text @param {number} logProb */
  function row(name, who, trace, text, logProb) {
    return make("tr", { "data-pair": name, "data-log-prob": logProb },
      make("th", { scope: "row" }, who), make("td", { lang: trace.target, dir: "auto" }, text || t("result.empty")),
      make("td", { class: "hl-number" }, t.fraction(logProb)));
  }

  return {
    root,
    /** @param {Trace} trace */
    update(trace) {
      const own = trace.ownChoice;
      root.hidden = own === null;
      if (own === null) return;
      cut.textContent = trace.finished ? "" : t("pair.cut", { count: trace.outputTokens.length });
      rows.replaceChildren(
        row("typed", t("pair.yours"), trace, trace.text, totalOf(trace)),
        row("own", t("pair.own"), trace, own.text, own.logProb));
      likelier.textContent = t(verdict(trace, own, t));
    },
  };
}
