/** The large picture: its title and what must be known to read it, and under them a heatmap, lines or a table. */

import { viewOf } from "../data/view.js";
import { make } from "../draw/dom.js";
import { headColor } from "../draw/strokes.js";
import { createHeatmap } from "./heatmap.js";
import { createLines } from "./lines.js";
import { headsName, notesOn, strandsName } from "./naming.js";
import { createTable } from "./table.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */

/**
 * @param {import("../draw/text.js").Wording} t
 * @param {(change: Partial<Selection>) => void} onChoose
 * @param {object} [setting] by default, as on the page
 * @param {() => import("../draw/plot.js").Room} [setting.room] that the picture may take
 * @param {string} [setting.label] key of what screen readers are told of the heatmap: its name, and how to move in it
 */
export function createPicture(t, onChoose, { room, label = "head.label" } = {}) {
  const title = make("h3", { class: "hl-head-title" });
  const note = make("p", { class: "hl-head-note" });
  const caption = make("div", { class: "hl-head-caption" }, title, note);
  const parts = { heatmap: createHeatmap(t, room), lines: createLines(t, onChoose, room), table: createTable(t) };
  const place = make("div", { class: "hl-picture" });
  const root = make("section", { class: "hl-head" }, caption, place);

  /**
   * The picture's view, and in lines those of more heads of its layer.
   * @param {Trace} trace @param {Selection} selection @param {View} view
   */
  function strandsOf(trace, selection, view) {
    const { head: chosen, lines, merge } = selection;
    const name = headsName(trace, selection, t);
    if (merge !== "head") return [{ view, name, color: headColor(0), head: null }];
    const others = lines.filter((head) => head !== chosen).map((head) => ({
      view: viewOf(trace, { ...selection, head }, view.layout), color: headColor(head), head,
      name: headsName(trace, { ...selection, head }, t),
    }));
    return [{ view, name, color: headColor(chosen), head: chosen }, ...others];
  }

  /** What is in the page: the others are fitted when they come, lines whenever they are drawn. */
  function fit() {
    for (const part of [parts.heatmap, parts.lines]) {
      if (part.root.isConnected) part.fit();
    }
  }

  return {
    root, caption, fit,
    /** @param {Trace} trace @param {Selection} selection @param {View} view */
    update(trace, selection, view) {
      const name = headsName(trace, selection, t);
      const map = t(`map.${selection.map}`);
      title.textContent = `${map}\u00a0· ${strandsName(trace, selection, t)}`;
      note.textContent = notesOn(trace, selection, view, t);
      const part = parts[selection.view];
      const comes = place.firstElementChild !== part.root;
      if (comes) {
        parts.table.clear();
        place.replaceChildren(part.root);
      }
      if (selection.view === "heatmap") {
        if (comes) parts.heatmap.fit();
        parts.heatmap.update(view, selection, { name, label: t(label, { map, name }) });
      }
      if (selection.view === "lines") {
        parts.lines.update(strandsOf(trace, selection, view), selection, trace.maps[selection.map].heads);
      }
      if (selection.view === "table") parts.table.update(view, selection, title.textContent);
    },
  };
}
