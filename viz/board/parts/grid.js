/** All heads of one map as thumbnails: layers are rows, heads are columns. */

import { make, movedByKey } from "../draw/dom.js";
import { paintThumbnail } from "../draw/matrix.js";

/** @typedef {import("../data/view.js").View} View */

/** Width to height of a thumbnail follows the matrix, but not to the point of a sliver. */
const NARROWEST = 0.7;
const WIDEST = 1.3;

/** @param {(layer: number, head: number) => void} onChoose */
export function createGrid(t, onChoose) {
  const root = make("div", { class: "hl-grid", role: "grid", "aria-label": t("grid.label") });
  /** @type {HTMLElement[]} */
  let thumbs = [];
  let size = { rows: 0, columns: 0 };
  /** @type {View[] | null} */
  let painted = null;
  let paintedWidth = 0;

  function build(layers, heads) {
    size = { rows: layers, columns: heads };
    root.style.setProperty("--heads", String(heads));
    const names = Array.from({ length: heads }, (_, head) =>
      make("span", { role: "columnheader", class: "hl-head-name" }, t("grid.head", { head: head + 1 })));
    const corner = make("span", { class: "hl-grid-corner" });
    const rows = Array.from({ length: layers }, (_, layer) => layerRow(layer, heads));
    root.replaceChildren(make("div", { role: "row", class: "hl-grid-row" }, corner, ...names), ...rows);
    thumbs = [...root.querySelectorAll(".hl-thumb")];
  }

  function layerRow(layer, heads) {
    const name = make("span", { role: "rowheader", class: "hl-layer-name" }, t("grid.layer", { layer: layer + 1 }));
    const row = Array.from({ length: heads }, (_, head) => thumbnail(layer, head));
    return make("div", { role: "row", class: "hl-grid-row" }, name, ...row);
  }

  function thumbnail(layer, head) {
    const label = t("head.name", { layer: layer + 1, head: head + 1 });
    const attributes = { type: "button", role: "gridcell", class: "hl-thumb", "aria-label": label, title: label };
    const thumb = make("button", { ...attributes, "data-layer": layer, "data-head": head }, make("canvas"));
    thumb.addEventListener("click", () => onChoose(layer, head));
    thumb.addEventListener("keydown", (event) => {
      const next = movedByKey(event, { row: layer, column: head }, size);
      if (!next) return;
      event.preventDefault();
      rove(next.row * size.columns + next.column);
      thumbs[next.row * size.columns + next.column].focus();
    });
    return thumb;
  }

  /** One thumbnail at a time is in the tab order. */
  function rove(place) {
    thumbs.forEach((thumb, i) => (thumb.tabIndex = i === place ? 0 : -1));
  }

  /** @param {View[]} views */
  function repaint(views) {
    const { rows, columns } = views[0].matrix;
    const shape = Math.min(WIDEST, Math.max(NARROWEST, columns / rows));
    root.style.setProperty("--shape", String(shape));
    root.style.setProperty("--rows", String(rows));
    const { clientWidth, clientHeight } = thumbs[0];
    thumbs.forEach((thumb, i) => {
      const canvas = /** @type {HTMLCanvasElement} */ (thumb.firstElementChild);
      paintThumbnail(canvas, views[i], clientWidth, clientHeight);
    });
    painted = views;
    paintedWidth = clientWidth;
  }

  return {
    root,
    /**
     * @param {View[]} views of all heads, layer by layer
     * @param {number} heads of a layer
     * @param {number} chosen place of the chosen one
     * @param {number | null} row to be marked
     */
    update(views, heads, chosen, row) {
      if (views.length !== thumbs.length || heads !== size.columns) build(views.length / heads, heads);
      if (views !== painted || thumbs[0].clientWidth !== paintedWidth) repaint(views);
      root.classList.toggle("hl-stepped", row !== null);
      root.style.setProperty("--step", String(row ?? 0));
      thumbs.forEach((thumb, i) => thumb.setAttribute("aria-selected", String(i === chosen)));
      if (!root.contains(document.activeElement)) rove(chosen);
    },
  };
}
