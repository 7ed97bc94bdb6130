/** The trace that is shown and the one selection that all views follow. */

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./decode.js").Kind} Kind */

/**
 * Layers, heads and steps count from 0; a step is a token that was written, whatever the rows show.
 * `merge` says what the large picture shows: the chosen head, the mean or maximum of the layer's or of all heads, or
 * the rollout up to the chosen layer. `lines` are more heads of the layer, drawn beside the chosen one in the lines
 * view.
 * @typedef {object} Selection
 * @property {"attention" | "steps" | "positions" | "masks"} tab
 * @property {Kind} map
 * @property {number} layer
 * @property {number} head
 * @property {number | null} step
 * @property {"head" | "layer_mean" | "layer_max" | "all_mean" | "all_max" | "rollout"} merge
 * @property {"heatmap" | "lines" | "table"} view
 * @property {number[]} lines
 * @property {"pieces" | "words"} units
 * @property {"shown" | "hidden"} special
 * @property {"fixed" | "stretched"} scale
 */

/**
 * Values of each property that is one of a few words; the first is where the page begins.
 * @type {{[Name in "tab" | "map" | "merge" | "view" | "units" | "special" | "scale"]: Selection[Name][]}}
 */
export const CHOICES = {
  tab: ["attention", "steps", "positions", "masks"],
  map: ["cross", "encoder_self", "decoder_self"],
  merge: ["head", "layer_mean", "layer_max", "all_mean", "all_max", "rollout"],
  view: ["heatmap", "lines", "table"],
  units: ["pieces", "words"],
  special: ["shown", "hidden"],
  scale: ["fixed", "stretched"],
};

/** @param {number} value @param {number} count */
const within = (value, count) => Math.min(count - 1, Math.max(0, value));

/**
 * The nearest selection that the trace has. Encoder and decoder may differ in depth, so a map change may move it.
 * @param {Selection} selection @param {Trace} trace @returns {Selection}
 */
function fitted(selection, trace) {
  const { layers, heads } = trace.maps[selection.map];
  return {
    ...selection,
    layer: within(selection.layer, layers),
    head: within(selection.head, heads),
    step: selection.step === null ? null : within(selection.step, trace.outputTokens.length),
    lines: selection.lines.filter((head) => head < heads),
  };
}

/** @returns {Selection} before anything is chosen: the last layer of the cross-attention, if nothing better is known */
function beginning() {
  const { tab, map, merge, view, units, special, scale } = CHOICES;
  return {
    tab: tab[0], map: map[0], merge: merge[0], view: view[0], units: units[0], special: special[0], scale: scale[0],
    layer: Infinity, head: 0, step: null, lines: [],
  };
}

/** Before anything is chosen the cross-attention's alignment head is shown, where one is known. @param {Trace} trace */
function opening({ alignmentHead }) {
  const { layer, head } = alignmentHead ?? beginning();
  return { ...beginning(), layer, head };
}

/** Listeners are called after each change. */
export function createStore() {
  /** @type {Trace | null} */
  let trace = null;
  let selection = beginning();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const announce = () => listeners.forEach((listener) => listener());

  return {
    trace: () => trace,
    /** @returns {Selection} */
    selection: () => ({ ...selection }),
    /**
     * As a page shows it that has just been opened, but for `change`.
     * @param {Trace} next @param {Partial<Selection>} change
     */
    open(next, change) {
      trace = next;
      selection = fitted({ ...opening(next), ...change }, trace);
      announce();
    },
    /** A new translation keeps what is selected but for the step. @param {Trace} next */
    load(next) {
      const { tab } = selection;
      selection = fitted(trace === null ? { ...opening(next), tab } : { ...selection, step: null }, next);
      trace = next;
      announce();
    },
    /** Before there is a trace, only the tab can be chosen. @param {Partial<Selection>} change */
    select(change) {
      const { tab } = { ...selection, ...change };
      selection = trace ? fitted({ ...selection, ...change }, trace) : { ...selection, tab };
      announce();
    },
    /** @param {() => void} listener @returns {() => void} that ends it */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */
