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
/** @typedef {import("./decode.js").Trace["maps"]} Maps */
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
  const [sums, factors, { columns }] = [result.weights, right.weights, right];
  for (let row = 0; row < left.rows; row++) {
    for (let inner = 0; inner < left.columns; inner++) {
      const weight = left.weights[row * left.columns + inner];
      if (weight === 0) continue;
      let factor = inner * columns;
      for (let cell = row * columns; cell < (row + 1) * columns; cell++, factor++) {
        sums[cell] += weight * factors[factor];
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

/** @param {Maps} maps @returns {Matrix[]} (S, S) after each layer */
function encoderRollouts({ encoder_self }) {
  const itself = identity(encoder_self.rows);
  const shares = [itself];
  for (let i = 0; i < encoder_self.layers; i++) {
    shares.push(product(halves(meanOfHeads(encoder_self, i), itself), shares[i]));
  }
  return shares.slice(1);
}

/** @param {Maps} maps @param {Matrix} source the encoder's last @returns {{written: Matrix[], source: Matrix[]}} */
function decoderRollouts({ decoder_self, cross }, source) {
  const itself = identity(decoder_self.rows);
  const nothing = blank(itself.rows, itself.columns);
  const fromWritten = [itself];
  const fromSource = [blank(cross.rows, cross.columns)];
  for (let i = 0; i < decoder_self.layers; i++) {
    const mixed = halves(meanOfHeads(decoder_self, i), itself);
    fromWritten.push(halves(product(mixed, fromWritten[i]), nothing));
    fromSource.push(halves(product(mixed, fromSource[i]), product(meanOfHeads(cross, i), source)));
  }
  const { allowed } = decoder_self;
  return { written: fromWritten.slice(1).map((matrix) => ({ ...matrix, allowed })), source: fromSource.slice(1) };
}

/**
 * Of a trace, for as long as it is there: a hundred tokens take a while.
 * @type {WeakMap<Maps, Record<Kind, Matrix[]>>}
 */
const made = new WeakMap();

/**
 * @param {Maps} maps
 * @param {Kind} kind
 * @param {number} layer the last one to count
 * @returns {Matrix} rows and columns as in the map of that kind
 */
export function rollout(maps, kind, layer) {
  let found = made.get(maps);
  if (!found) {
    const encoder = encoderRollouts(maps);
    const decoder = decoderRollouts(maps, encoder[encoder.length - 1]);
    found = { encoder_self: encoder, decoder_self: decoder.written, cross: decoder.source };
    made.set(maps, found);
  }
  return found[kind][layer];
}
