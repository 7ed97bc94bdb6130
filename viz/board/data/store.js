/** The trace that is shown and the one selection that all views follow. */

/** @typedef {{map: "encoder_self" | "decoder_self" | "cross", layer: number, head: number, step: number | null}} Selection */

const within = (value, count) => Math.min(count - 1, Math.max(0, value));

/** The nearest selection that the trace has. Encoder and decoder may differ in depth, so a map change may move it. */
function fitted(selection, trace) {
  const map = trace.maps[selection.map] ? selection.map : "cross";
  const { layers, heads } = trace.maps[map];
  const step = selection.step === null ? null : within(selection.step, trace.outputTokens.length);
  return { map, layer: within(selection.layer, layers), head: within(selection.head, heads), step };
}

/**
 * Layers, heads and steps count from 0. Before anything is chosen: the cross-attention's alignment head, where one is
 * known, else the last layer.
 * Listeners are called after each change.
 */
export function createStore() {
  /** @type {import("./decode.js").Trace | null} */
  let trace = null;
  /** @type {Selection} */
  let selection = { map: "cross", layer: Infinity, head: 0, step: null };
  const listeners = new Set();
  const announce = () => listeners.forEach((listener) => listener());

  return {
    trace: () => trace,
    selection: () => ({ ...selection }),
    /** @param {import("./decode.js").Trace} next */
    load(next) {
      const opening = trace === null ? next.alignmentHead : null;
      trace = next;
      const { layer, head } = opening ?? selection;
      selection = fitted({ ...selection, layer, head, step: null }, trace);
      announce();
    },
    /** @param {Partial<Selection>} change */
    select(change) {
      if (!trace) return;
      selection = fitted({ ...selection, ...change }, trace);
      announce();
    },
    /** @param {() => void} listener @returns {() => void} that ends it */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
