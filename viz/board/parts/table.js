/** A view as a table of numbers, which screen readers can walk through and spreadsheets can take. */

import { rowOfStep } from "../data/layout.js";
import { make } from "../draw/dom.js";
import { tokenElement } from "../draw/token.js";
import { sideTitles } from "./naming.js";

/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** Cells that a browser can lay out within a frame or two; those of the rows beyond come in the frames after. */
const CELLS_A_FRAME = 1500;

/** What rows and columns are, in a sentence. @param {View} view @param {Selection["merge"]} merge */
function captionKey({ layout }, merge) {
  return `table.${layout.outputs ? "written" : "read"}${merge === "rollout" ? ".rollout" : ""}`;
}

/** @param {Wording} t */
export function createTable(t) {
  const body = /** @type {HTMLTableSectionElement} */ (make("tbody"));
  const head = make("thead");
  const words = make("span");
  const caption = make("caption", {}, words);
  const table = make("table", { class: "hl-table" }, caption, head, body);
  const box = { class: "hl-table-scroll", tabindex: 0, role: "region" };
  const root = make("div", box, table);
  /** @type {View["layout"] | null} */
  let shown = null;
  /** The frame in which more rows come. */
  let coming = 0;

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

  /** @param {View} view @param {number | null} chosen row @param {number[]} rows to be filled, in this order */
  function fill(view, chosen, rows) {
    const count = Math.ceil(CELLS_A_FRAME / view.matrix.columns);
    for (const row of rows.slice(0, count)) {
      const node = bodyRow(view, row);
      node.classList.toggle("hl-at-step", row === chosen);
      if (row < body.rows.length) body.rows[row].replaceWith(node);
      else body.append(node);
    }
    const later = rows.slice(count);
    table.setAttribute("aria-busy", String(later.length > 0));
    if (later.length > 0) coming = requestAnimationFrame(() => fill(view, chosen, later));
  }

  /** All rows, those in sight first. @param {number} count */
  function rowsInSightFirst(count) {
    const rows = Array.from({ length: count }, (_, row) => row);
    const first = body.rows.length ? Math.floor(root.scrollTop / body.rows[0].offsetHeight) : 0;
    return [...rows.slice(first), ...rows.slice(0, first)];
  }

  return {
    root,
    /** Before it is shown again: thousands of old cells would have to be laid out before the new ones come. */
    clear() {
      cancelAnimationFrame(coming);
      body.replaceChildren();
    },
    /** @param {View} view @param {Selection} selection @param {string} label */
    update(view, { step, merge }, label) {
      cancelAnimationFrame(coming);
      root.setAttribute("aria-label", label);
      words.textContent = t(captionKey(view, merge), { label });
      head.replaceChildren(headRow(view, merge));
      if (shown !== view.layout) body.replaceChildren(); // else rows are replaced where they stand, and stay in sight
      shown = view.layout;
      fill(view, rowOfStep(shown, step), rowsInSightFirst(shown.rows.pieces.length));
    },
  };
}
