/** The attention view: which map, what is shown of it and how, all its heads, and one picture large. */

import { layoutOf, rowOfStep } from "../data/layout.js";
import { viewOf } from "../data/view.js";
import { make } from "../draw/dom.js";
import { drawInRoom } from "../draw/drawing.js";
import { createLegend } from "../draw/legend.js";
import { createControls } from "./controls.js";
import { createDiagnostics } from "./diagnostics.js";
import { createGrid } from "./grid.js";
import { createMapChooser } from "./maps.js";
import { createPicture } from "./picture.js";
import { createProof } from "./proof.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */

/**
 * `data-map`, `data-layer` and so on, all of the selection, on the root tell what is drawn, and `data-drawn` counts
 * drawings.
 * @param {HTMLElement} place
 * @param {import("../data/store.js").Store} store
 * @param {import("../draw/text.js").Wording} t
 */
export function mountAttention(place, store, t) {
  const choose = store.select;
  const maps = createMapChooser(t, (map) => choose({ map }));
  const controls = createControls(t, choose);
  const grid = createGrid(t, choose);
  const legend = createLegend(t);
  const diagnostics = createDiagnostics(t, choose);
  const picture = createPicture(t, choose);
  const proof = createProof(t);
  const all = make("section", { class: "hl-heads" },
    make("h3", { class: "hl-head-title" }, t("grid.title")), make("div", { class: "hl-grid-scroll" }, grid.root),
    legend.root, diagnostics.root);
  const trust = make("section", { class: "hl-trust" },
    make("p", { class: "hl-caution" }, t("attention.caution")), proof.root);
  const root = make("div", { class: "hl hl-attention", "data-drawn": 0 },
    make("h2", { class: "hl-part-title" }, t("tab.attention")),
    maps.root, controls.root, make("div", { class: "hl-stage" }, all, picture.root, trust));
  place.replaceChildren(root);

  const headViews = allHeadViews();
  let drawn = 0;

  function draw() {
    const trace = store.trace();
    if (!trace) return;
    const selection = store.selection();
    const views = headViews(trace, selection);
    const { layout } = views[0];
    const { map, layer, head, merge } = selection;
    const { heads } = trace.maps[map];
    const view = merge === "head" ? views[layer * heads + head] : viewOf(trace, selection, layout);
    maps.update(map);
    controls.update(selection);
    grid.update(views, heads, selection, rowOfStep(layout, selection.step));
    legend.update(view, selection.scale === "stretched", [view, ...views].some(({ blank }) => blank?.includes(1)));
    diagnostics.update(trace, selection);
    proof.update(trace);
    picture.update(trace, selection, view);
    Object.assign(root.dataset, { ...selection, step: selection.step ?? "", drawn: ++drawn });
  }

  const update = drawInRoom(root, draw, picture.fit);
  update();
  return update;
}

/**
 * Views of all heads of a map, made anew only when what they show has changed.
 * @returns {(trace: Trace, selection: Selection) => View[]}
 */
function allHeadViews() {
  /** @type {{trace: Trace, selection: Selection, views: View[]} | null} */
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
