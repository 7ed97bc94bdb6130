/** The attention view: which map, all its heads, the chosen one large. */

import { make } from "../draw/dom.js";
import { createGrid } from "./grid.js";
import { createHead } from "./head.js";
import { createLegend } from "../draw/legend.js";
import { createMapChooser } from "./maps.js";

/**
 * `data-map`, `data-layer`, `data-head` and `data-step` on the root tell what is drawn, and `data-drawn` counts drawings.
 * @param {HTMLElement} place
 * @param {ReturnType<typeof import("../data/store.js").createStore>} store
 */
export function mountAttention(place, store, t) {
  const maps = createMapChooser(t, (map) => store.select({ map }));
  const grid = createGrid(t, (layer, head) => store.select({ layer, head }));
  const head = createHead(t);
  const heads = make("section", { class: "hl-heads" },
    make("h3", { class: "hl-head-title" }, t("grid.title")), make("div", { class: "hl-grid-scroll" }, grid.root),
    createLegend(t));
  const caution = make("p", { class: "hl-caution" }, t("attention.caution"));
  const root = make("div", { class: "hl hl-attention", "data-drawn": 0 },
    ...maps.nodes, make("div", { class: "hl-stage" }, heads, head.root), caution);
  place.replaceChildren(root);

  let width = 0;
  let drawn = 0;
  let waiting = 0;

  function draw() {
    waiting = 0;
    const trace = store.trace();
    const room = root.clientWidth;
    if (!trace || !room) return;
    const selection = store.selection();
    const step = selection.map === "encoder_self" ? null : selection.step;
    maps.update(selection.map);
    grid.update(trace.maps[selection.map], selection.layer, selection.head, step);
    head.update(trace, selection);
    if (width !== room) head.fit();
    width = room;
    Object.assign(root.dataset, { ...selection, step: selection.step ?? "", drawn: ++drawn });
  }

  /** Many changes in one frame are one drawing. */
  function update() {
    waiting ||= requestAnimationFrame(draw);
  }

  // In a tab that is not open the root has no width; the observer reports when it gets one.
  new ResizeObserver(() => {
    if (root.clientWidth !== width) update();
  }).observe(root);
  update();
  return update;
}
