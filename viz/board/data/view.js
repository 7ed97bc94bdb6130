/**
 * What is shown of a trace: one matrix with its rows and columns, made of the weights by what is selected.
 * The heatmap, the lines, the table and the grid's thumbnails all draw views; viz/view.py makes the same for files.
 */

import { layoutOf } from "./layout.js";
import { grouped, headMatrix, largestWeight, layerMatrices, maximumOf, meanOf } from "./matrices.js";
import { rollout } from "./rollout.js";

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./store.js").Selection} Selection */
/** @typedef {import("./matrices.js").Matrix} Matrix */
/** @typedef {import("./layout.js").Layout} Layout */

/**
 * `hiddenShare` is, for each row, the share of its weight that lay on hidden special tokens; null where none are hidden
 * or, as for maxima, rows are no shares of a whole. A row with `blank` 1 has too little left to be shown.
 * `scale` is the weight that the last colour stands for.
 * @typedef {{matrix: Matrix, layout: Layout, hiddenShare: Float32Array | null, blank: Uint8Array | null,
 *   scale: number}} View
 */

/** Least part of a row that must be left of it when special tokens are hidden: below, it would be magnified noise. */
const LEAST_LEFT = 0.01;

/** Views of one trace and map share the layout. @param {Trace} trace @param {Selection} selection @returns {View} */
export function viewOf(trace, selection, layout = layoutOf(trace, selection.map, selection)) {
  return finished(mergedMatrix(trace, selection, layout), layout, selection);
}

/**
 * For maxima, words are made of pieces before heads are merged: a maximum of sums is not the sum of maxima.
 * @param {Trace} trace @param {Selection} selection @param {Layout} layout
 * @returns {Matrix} with the hidden columns behind the others
 */
function mergedMatrix(trace, { map: kind, layer, head, merge }, layout) {
  const map = trace.maps[kind];
  const arrange = (/** @type {Matrix} */ matrix) => arranged(matrix, layout);
  if (merge === "head") return arrange(headMatrix(map, layer, head));
  if (merge === "rollout") return arrange(rollout(trace.maps, kind, layer));
  const [scope, how] = merge.split("_");
  const layers = scope === "layer" ? [layer] : Array.from({ length: map.layers }, (_, i) => i);
  const heads = layers.flatMap((each) => layerMatrices(map, each));
  return how === "mean" ? arrange(meanOf(heads)) : maximumOf(heads.map(arrange));
}

/** @param {Matrix} matrix of pieces @param {Layout} layout @returns {Matrix} */
function arranged(matrix, { rows, columns, hidden }) {
  const unchanged = rows.groups.length === matrix.rows && columns.groups.length === matrix.columns;
  return unchanged ? matrix : grouped(matrix, rows.groups, [...columns.groups, ...hidden]);
}

/** @param {Matrix} whole @param {Layout} layout @param {Selection} selection @returns {View} */
function finished(whole, layout, { merge, scale }) {
  const isMaximum = merge.endsWith("_max");
  const { matrix, hiddenShare } = withoutHidden(whole, layout.columns.groups.length, isMaximum);
  const blank = hiddenShare && Uint8Array.from(hiddenShare, (share) => Number(1 - share < LEAST_LEFT));
  return {
    matrix, layout, hiddenShare, blank,
    scale: scale === "stretched" ? largestWeight(matrix) || 1 : 1,
  };
}

/**
 * Cuts the columns from `columns` on. What is left of a row is made to add up to what the whole row did.
 * @param {Matrix} whole @param {number} columns
 * @param {boolean} isMaximum its rows are no shares: nothing is to be made up
 */
function withoutHidden(whole, columns, isMaximum) {
  if (columns === whole.columns) return { matrix: whole, hiddenShare: null };
  const { rows } = whole;
  const weights = new Float32Array(rows * columns);
  const allowed = whole.allowed && new Uint8Array(rows * columns);
  const hiddenShare = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const first = row * whole.columns;
    const place = row * columns;
    const left = sumOf(whole.weights, first, first + columns);
    const sum = left + sumOf(whole.weights, first + columns, first + whole.columns);
    hiddenShare[row] = sum > 0 ? 1 - left / sum : 0;
    weights.set(whole.weights.subarray(first, first + columns), place);
    if (allowed && whole.allowed) allowed.set(whole.allowed.subarray(first, first + columns), place);
    if (isMaximum || !sum || left / sum < LEAST_LEFT) continue;
    for (let cell = place; cell < place + columns; cell++) weights[cell] *= sum / left;
  }
  return { matrix: { rows, columns, weights, allowed }, hiddenShare: isMaximum ? null : hiddenShare };
}

/** @param {Float32Array} weights @param {number} from @param {number} to the first one not to count */
function sumOf(weights, from, to) {
  let sum = 0;
  for (let cell = from; cell < to; cell++) sum += weights[cell];
  return sum;
}
