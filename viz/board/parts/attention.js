/** The attention view: which map, all its heads, the chosen one large. */

import { layoutOf, rowOfStep } from "../data/layout.js";
import { viewOf } from "../data/view.js";
import { make } from "../draw/dom.js";
import { createGrid } from "./grid.js";
import { createHead } from "./head.js";
import { createLegend } from "../draw/legend.js";
import { createMapChooser } from "./maps.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */

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

  const headViews = allHeadViews();
  let width = 0;
  let drawn = 0;
  let waiting = 0;

  function draw() {
    waiting = 0;
    const trace = store.trace();
    const room = root.clientWidth;
    if (!trace || !room) return;
    const selection = store.selection();
    const { heads } = trace.maps[selection.map];
    const views = headViews(trace, selection);
    const { layout } = views[0];
    maps.update(selection.map);
    grid.update(views, heads, selection.layer * heads + selection.head, rowOfStep(layout, selection.step));
    head.update(trace, selection, viewOf(trace, selection, layout));
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

/**
 * Views of all heads of a map, made anew only when what they show has changed.
 * @returns {(trace: Trace, selection: Selection) => import("../data/view.js").View[]}
 */
function allHeadViews() {
  /** @type {{trace: Trace, selection: Selection, views: import("../data/view.js").View[]} | null} */
  let made = null;
  const shows = /** @type {const} */ (["map", "units", "special", "scale"]);

  return (trace, selection) => {
    if (made?.trace === trace && shows.every((name) => made?.selection[name] === selection[name])) return made.views;
    const { layers, heads } = trace.maps[selection.map];
    const layout = layoutOf(trace, selection.map, selection);
    const views = Array.from({ length: layers * heads }, (_, i) =>
      viewOf(trace, { ...selection, merge: "head", layer: Math.floor(i / heads), head: i % heads }, layout));
    made = { trace, selection, views };
    return views;
  };
}
