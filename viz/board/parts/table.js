/** A view as a table of numbers, which screen readers can walk through and spreadsheets can take. */

import { rowOfStep } from "../data/layout.js";
import { make } from "../draw/dom.js";
import { tokenElement } from "../draw/token.js";
import { sideTitles } from "./naming.js";

/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** What rows and columns are, in a sentence. @param {View} view @param {Selection["merge"]} merge */
function captionKey({ layout }, merge) {
  return `table.${layout.outputs ? "written" : "read"}${merge === "rollout" ? ".rollout" : ""}`;
}

/** @param {Wording} t */
export function createTable(t) {
  const body = make("tbody");
  const head = make("thead");
  const words = make("span");
  const caption = make("caption", {}, words);
  const table = make("table", { class: "hl-table" }, caption, head, body);
  const box = { class: "hl-table-scroll", tabindex: 0, role: "region" };
  const root = make("div", box, table);

  /** @param {View} view @param {Selection["merge"]} merge */
  function headRow({ layout, hiddenShare }, merge) {
    const titles = sideTitles(layout, merge, t);
    return make("tr", {},
      make("th", { scope: "col" }, `${titles.row} ↓`),
      ...(layout.outputs ? [make("th", { scope: "col" }, `${titles.output} ↓`)] : []),
      ...layout.columns.pieces.map((piece) => make("th", { scope: "col" }, tokenElement(piece))),
      ...(hiddenShare ? [make("th", { scope: "col" }, t("axis.hidden"))] : []));
  }

  /** @param {View} view @param {number} row */
  function bodyRow({ matrix, layout, hiddenShare, blank }, row) {
    const node = make("tr", {}, make("th", { scope: "row" }, tokenElement(layout.rows.pieces[row])));
    if (layout.outputs) node.append(make("th", { scope: "row" }, tokenElement(layout.outputs[row])));
    for (let column = 0, cell = row * matrix.columns; column < matrix.columns; column++, cell++) {
      const td = document.createElement("td");
      if (matrix.allowed && !matrix.allowed[cell]) {
        td.className = "hl-value-forbidden";
        td.textContent = t("table.forbidden");
      } else td.textContent = blank?.[row] ? t("table.blank") : t.fraction(matrix.weights[cell]);
      node.append(td);
    }
    if (hiddenShare) node.append(make("td", { class: "hl-table-hidden" }, t.percent(hiddenShare[row])));
    return node;
  }

  return {
    root,
    /** @param {View} view @param {Selection} selection @param {string} label */
    update(view, { step, merge }, label) {
      root.setAttribute("aria-label", label);
      words.textContent = t(captionKey(view, merge), { label });
      head.replaceChildren(headRow(view, merge));
      const chosen = rowOfStep(view.layout, step);
      const rows = view.layout.rows.pieces.map((_, row) => bodyRow(view, row));
      if (chosen !== null) rows[chosen].classList.add("hl-at-step");
      body.replaceChildren(...rows);
    },
  };
}
