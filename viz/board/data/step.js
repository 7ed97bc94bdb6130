/** One step of the decoder: what it had been given, and where every head of the cross-attention looked. */

import { writtenPieces } from "./layout.js";

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./matrices.js").Matrix} Matrix */

/** Where no step is chosen, the first is shown. @param {import("./store.js").Selection} selection */
export const stepOf = ({ step }) => step ?? 0;

/** What had gone into the decoder when it took a step. @param {Trace} trace @param {number} step */
export function seenAt(trace, step) {
  return writtenPieces(trace, trace.targetTokens.slice(0, step + 1));
}

/** What came out of it. @param {Trace} trace @param {number} step */
export const writtenAt = (trace, step) => writtenPieces(trace, [trace.outputTokens[step]])[0];

/**
 * The step's row of every head: a row a head, layer by layer. Nothing is forbidden, a lone sentence has no padding.
 * @param {Trace} trace @param {number} step @returns {Matrix}
 */
export function headsAt({ maps: { cross } }, step) {
  const { layers, heads, rows, columns } = cross;
  const count = layers * heads;
  const weights = new Float32Array(count * columns);
  for (let head = 0; head < count; head++) {
    const first = (head * rows + step) * columns;
    weights.set(cross.weights.subarray(first, first + columns), head * columns);
  }
  return { rows: count, columns, weights, allowed: null };
}
