/** What a picture is called, and what must be known to read it. */

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */
/** @typedef {import("../data/layout.js").Layout} Layout */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** Which heads are shown, in a few words. @param {Trace} trace @param {Selection} selection @param {Wording} t */
export function headsName(trace, { map, layer, head, merge }, t) {
  const { layers, heads } = trace.maps[map];
  const numbers = { layer: layer + 1, head: head + 1, heads, all: layers * heads };
  return merge === "head" ? t("head.name", numbers) : t(`picture.${merge}`, numbers);
}

/**
 * The same where more heads of the layer are drawn.
 * @param {Trace} trace @param {Selection} selection @param {Wording} t
 */
export function strandsName(trace, selection, t) {
  const { layer, merge } = selection;
  const all = drawnHeads(selection).map((each) => each + 1);
  const isOne = merge !== "head" || all.length === 1;
  return isOne ? headsName(trace, selection, t) : t("picture.heads", { layer: layer + 1, heads: all.join(", ") });
}

/** Heads of the layer that the picture shows where heads are not merged. @param {Selection} selection */
function drawnHeads({ view, head, lines }) {
  return view === "lines" ? [...new Set([head, ...lines])].sort((one, other) => one - other) : [head];
}

/**
 * What is special about this head, if it is the one that points at what is being copied.
 * @param {Trace} trace @param {Selection} selection @param {Wording} t
 */
function alignmentNote({ alignmentHead }, { map, layer, head }, t) {
  if (map !== "cross" || alignmentHead?.layer !== layer || alignmentHead.head !== head) return "";
  const percent = t.percent(alignmentHead.accuracy);
  return t(alignmentHead.trained ? "head.trained_to_align" : "head.aligns", { percent });
}

/**
 * Sentences on what is not obvious: how heads were merged, words made, special tokens hidden.
 * @param {Trace} trace @param {Selection} selection @param {View} view @param {Wording} t
 */
export function notesOn(trace, selection, view, t) {
  const { map, merge, units, special } = selection;
  const isMaximum = merge.endsWith("_max");
  return [
    merge === "head" && drawnHeads(selection).length === 1 && alignmentNote(trace, selection, t),
    isMaximum && t("note.maximum"),
    merge === "rollout" && t(`note.rollout.${map}`),
    units === "words" && t(map === "encoder_self" ? "note.words" : `note.words.${map}`),
    special === "hidden" && t(isMaximum ? "note.hidden_maximum" : "note.hidden"),
    view.blank?.includes(1) && t("note.blank"),
    view.matrix.weights.length === 0 && t("note.empty"),
  ].filter(Boolean).join(" ");
}

/**
 * The sentence of a pair, with its pieces by their places in it: "{row} looks at {column}", and for a decoder what the
 * row's step wrote. In a rollout nothing looks: what a row is made of comes from a column.
 * @param {Layout} layout @param {Selection["merge"]} merge @param {number} row @param {number} column
 */
export function pairOf({ rows, columns, outputs }, merge, row, column) {
  const end = merge === "rollout" ? ".rollout" : "";
  const read = { row: rows.pieces[row], column: columns.pieces[column] };
  if (!outputs) return { key: `readout.read${end}`, pieces: read };
  return { key: `readout.written${end}`, pieces: { ...read, output: outputs[row] } };
}

/** The titles of the sides. @param {Layout} layout @param {Selection["merge"]} merge @param {Wording} t */
export function sideTitles({ outputs }, merge, t) {
  const isRollout = merge === "rollout";
  return {
    row: t(outputs ? "axis.went_in" : isRollout ? "axis.state" : "axis.looks"),
    column: t(isRollout ? "axis.comes_from" : "axis.looked_at"), output: t("axis.came_out"), note: t("axis.hidden"),
  };
}

/** The same names with what `call` makes of each value. @template From, To @param {Record<string, From>} values */
export const eachOf = (values, /** @type {(value: From) => To} */ call) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, call(value)]));
