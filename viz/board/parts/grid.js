/** All heads of one map as thumbnails: layers are rows, heads are columns. */

import { make, movedByKey, rove } from "../draw/dom.js";
import { boxesIn, paintSheet } from "../draw/sheet.js";

/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */

/** Width to height of a thumbnail follows the matrix, but not to the point of a sliver. */
const NARROWEST = 0.7;
const WIDEST = 1.3;

/** Whether a merged picture is made of a layer's heads. @param {Selection} selection @param {number} layer */
function isMerged({ merge, layer: chosen }, layer) {
  if (merge === "head") return false;
  return merge.startsWith("all") || (merge === "rollout" ? layer <= chosen : layer === chosen);
}

/**
 * A thumbnail chooses its head, and leaves a merged picture; the name of a layer chooses the layer alone.
 * @param {import("../draw/text.js").Wording} t @param {(change: Partial<Selection>) => void} onChoose
 */
export function createGrid(t, onChoose) {
  const root = make("div", { class: "hl-grid", role: "grid", "aria-label": t("grid.label") });
  const sheet = /** @type {HTMLCanvasElement} */ (make("canvas", { class: "hl-sheet", "aria-hidden": true }));
  /** @type {HTMLElement[]} layer by layer */
  let thumbs = [];
  /** @type {HTMLElement[]} */
  let layerNames = [];
  /** @type {HTMLElement[][]} what keys move in: each layer's name and thumbnails */
  let places = [];
  /** @type {View[] | null} */
  let painted = null;
  let paintedSize = "";

  /** @param {number} layers @param {number} heads */
  function build(layers, heads) {
    root.style.setProperty("--heads", String(heads));
    const names = Array.from({ length: heads }, (_, head) =>
      make("span", { role: "columnheader", class: "hl-head-name" }, t("grid.head", { head: head + 1 })));
    layerNames = Array.from({ length: layers }, (_, layer) => layerName(layer));
    thumbs = Array.from({ length: layers * heads }, (_, i) => thumbnail(Math.floor(i / heads), i % heads));
    places = layerNames.map((name, layer) => [name, ...thumbs.slice(layer * heads, (layer + 1) * heads)]);
    places.forEach((row, layer) => row.forEach((node, column) =>
      node.addEventListener("keydown", (event) => move(event, layer, column))));
    const rows = places.map(([name, ...row]) => make("div", { role: "row", class: "hl-grid-row" },
      make("span", { role: "rowheader", class: "hl-layer-name" }, name), ...row));
    const corner = make("span", { class: "hl-grid-corner" });
    root.replaceChildren(make("div", { role: "row", class: "hl-grid-row" }, corner, ...names), ...rows, sheet);
  }

  /** @param {number} layer */
  function layerName(layer) {
    const words = t("grid.layer", { layer: layer + 1 });
    const name = make("button", { type: "button", class: "hl-layer", "data-layer-button": layer }, words);
    name.addEventListener("click", () => onChoose({ layer }));
    return name;
  }

  /** @param {number} layer @param {number} head */
  function thumbnail(layer, head) {
    const label = t("head.name", { layer: layer + 1, head: head + 1 });
    const attributes = { type: "button", role: "gridcell", class: "hl-thumb", "aria-label": label, title: label };
    const thumb = make("button", { ...attributes, "data-layer": layer, "data-head": head });
    thumb.addEventListener("click", () => onChoose({ layer, head, merge: "head" }));
    return thumb;
  }

  /** @param {KeyboardEvent} event @param {number} row @param {number} column */
  function move(event, row, column) {
    const next = movedByKey(event, { row, column }, { rows: places.length, columns: places[0].length });
    if (!next) return;
    event.preventDefault();
    const node = places[next.row][next.column];
    rove(places.flat(), node);
    node.focus();
  }

  /** @param {View[]} views */
  function repaint(views) {
    const { rows, columns } = views[0].matrix;
    const shape = rows && columns ? Math.min(WIDEST, Math.max(NARROWEST, columns / rows)) : 1;
    root.style.setProperty("--shape", String(shape));
    root.style.setProperty("--rows", String(rows));
    paintSheet(sheet, views, boxesIn(thumbs, root));
    painted = views;
    paintedSize = size();
  }

  const size = () => `${root.offsetWidth}x${root.offsetHeight}@${devicePixelRatio}`;

  function refit() {
    if (painted && root.offsetWidth && size() !== paintedSize) repaint(painted);
  }

  new ResizeObserver(refit).observe(root);
  window.addEventListener("resize", refit); // another screen may have other pixels

  return {
    root,
    /**
     * @param {View[]} views of all heads, layer by layer
     * @param {number} heads of a layer
     * @param {Selection} selection
     * @param {number | null} row to be marked
     */
    update(views, heads, selection, row) {
      const layers = views.length / heads;
      if (views.length !== thumbs.length || layers !== layerNames.length) build(layers, heads);
      if (views !== painted) repaint(views);
      root.classList.toggle("hl-stepped", row !== null);
      root.style.setProperty("--step", String(row ?? 0));
      const chosen = selection.merge === "head" ? selection.layer * heads + selection.head : -1;
      thumbs.forEach((thumb, i) => {
        thumb.setAttribute("aria-selected", String(i === chosen));
        thumb.classList.toggle("hl-merged", isMerged(selection, Math.floor(i / heads)));
      });
      layerNames.forEach((name, layer) => name.setAttribute("aria-pressed", String(layer === selection.layer)));
      if (root.contains(document.activeElement)) return;
      rove(places.flat(), thumbs[selection.layer * heads + selection.head]);
    },
  };
}
