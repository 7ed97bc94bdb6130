/**
 * Attention rollout: how much of what each row's state is made of came from each token at the bottom.
 *
 * Encoder: Abnar and Zuidema (2020), section 3: a layer's matrix is half the mean of its heads and half the identity,
 * for the residual connection; the layers' matrices are multiplied.
 *
 * Decoder, our extension: a decoder state comes from two places, the tokens that went in and the source. Both shares
 * are carried along: self-attention mixes the rows of both, cross-attention then brings in as much again from the
 * source, by way of the encoder's rollout. Of a row, the share on tokens that went in and the share on the source add
 * up to 1. viz/rollout.py computes the same for files.
 */

import { layerMatrices, meanOf } from "./matrices.js";

/** @typedef {import("./matrices.js").Matrix} Matrix */
/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./decode.js").Kind} Kind */

/** @returns {Matrix} */
const blank = (/** @type {number} */ rows, /** @type {number} */ columns) =>
  ({ rows, columns, weights: new Float32Array(rows * columns), allowed: null });

/** @param {number} size @returns {Matrix} */
function identity(size) {
  const matrix = blank(size, size);
  for (let i = 0; i < size; i++) matrix.weights[i * size + i] = 1;
  return matrix;
}

/** @param {Matrix} left @param {Matrix} right @returns {Matrix} */
function product(left, right) {
  const result = blank(left.rows, right.columns);
  for (let row = 0; row < left.rows; row++) {
    for (let inner = 0; inner < left.columns; inner++) {
      const weight = left.weights[row * left.columns + inner];
      if (weight === 0) continue;
      for (let column = 0; column < right.columns; column++) {
        result.weights[row * right.columns + column] += weight * right.weights[inner * right.columns + column];
      }
    }
  }
  return result;
}

/** @param {Matrix} one @param {Matrix} other @returns {Matrix} half of each */
function halves(one, other) {
  return { ...one, allowed: null, weights: one.weights.map((weight, cell) => (weight + other.weights[cell]) / 2) };
}

/** @param {import("./decode.js").HeadMap} map @param {number} layer @returns {Matrix} */
const meanOfHeads = (map, layer) => meanOf(layerMatrices(map, layer));

/** @param {Trace["maps"]} maps @param {number} layer the last one to count @returns {Matrix} (S, S) */
function encoderRollout(maps, layer) {
  let shares = identity(maps.encoder_self.rows);
  const itself = identity(shares.rows);
  for (let i = 0; i <= layer; i++) shares = product(halves(meanOfHeads(maps.encoder_self, i), itself), shares);
  return shares;
}

/**
 * @param {Trace["maps"]} maps
 * @param {Kind} kind
 * @param {number} layer the last one to count
 * @returns {Matrix} rows and columns as in the map of that kind
 */
export function rollout(maps, kind, layer) {
  if (kind === "encoder_self") return encoderRollout(maps, layer);
  const source = encoderRollout(maps, maps.encoder_self.layers - 1);
  const steps = maps.decoder_self.rows;
  let fromWritten = identity(steps);
  let fromSource = blank(steps, source.columns);
  const nothing = blank(steps, steps);
  for (let i = 0; i <= layer; i++) {
    const mixed = halves(meanOfHeads(maps.decoder_self, i), identity(steps));
    fromWritten = halves(product(mixed, fromWritten), nothing);
    fromSource = halves(product(mixed, fromSource), product(meanOfHeads(maps.cross, i), source));
  }
  return kind === "cross" ? fromSource : { ...fromWritten, allowed: maps.decoder_self.allowed };
}
