/** One matrix of weights, and what is made of several: the mean and the maximum of heads, cells added up by groups. */

/** @typedef {import("./decode.js").HeadMap} HeadMap */

/**
 * Row by row. `allowed` is 1 where the mask lets a row look; null: everywhere.
 * @typedef {{rows: number, columns: number, weights: Float32Array, allowed: Uint8Array | null}} Matrix
 */

/** One head, without copying. @param {HeadMap} map @param {number} layer @param {number} head @returns {Matrix} */
export function headMatrix(map, layer, head) {
  const size = map.rows * map.columns;
  const start = (layer * map.heads + head) * size;
  const { rows, columns, allowed } = map;
  return { rows, columns, weights: map.weights.subarray(start, start + size), allowed };
}

/** All heads of a layer. @param {HeadMap} map @param {number} layer */
export function layerMatrices(map, layer) {
  return Array.from({ length: map.heads }, (_, head) => headMatrix(map, layer, head));
}

/** Null where the mask forbids. @param {Matrix} matrix @param {number} row @param {number} column */
export function weightAt(matrix, row, column) {
  const cell = row * matrix.columns + column;
  return matrix.allowed && !matrix.allowed[cell] ? null : matrix.weights[cell];
}

/** @param {Matrix[]} matrices of one size @returns {Matrix} */
export function meanOf(matrices) {
  const weights = new Float32Array(matrices[0].weights.length);
  for (const matrix of matrices) {
    for (let cell = 0; cell < weights.length; cell++) weights[cell] += matrix.weights[cell] / matrices.length;
  }
  return { ...matrices[0], weights };
}

/** @param {Matrix[]} matrices of one size @returns {Matrix} */
export function maximumOf(matrices) {
  const weights = new Float32Array(matrices[0].weights.length);
  for (const matrix of matrices) {
    for (let cell = 0; cell < weights.length; cell++) weights[cell] = Math.max(weights[cell], matrix.weights[cell]);
  }
  return { ...matrices[0], weights };
}

/**
 * Rows averaged and columns added up: weights of words out of weights of pieces, whose rows still add up to the same.
 * @param {Matrix} matrix the parts
 * @param {number[][]} rowGroups rows of each new row
 * @param {number[][]} columnGroups columns of each new column; every column is in one of them
 * @returns {Matrix} a cell is forbidden where all of its cells are
 */
export function grouped({ weights: parts, allowed: mask, columns: width }, rowGroups, columnGroups) {
  const columns = columnGroups.length;
  const weights = new Float32Array(rowGroups.length * columns);
  const allowed = mask && new Uint8Array(weights.length);
  const newColumns = new Uint16Array(width);
  columnGroups.forEach((members, place) => members.forEach((column) => (newColumns[column] = place)));
  rowGroups.forEach((rows, newRow) => {
    const first = newRow * columns;
    for (const row of rows) {
      for (let column = 0, cell = row * width; column < width; column++, cell++) {
        const place = first + newColumns[column];
        weights[place] += parts[cell] / rows.length;
        if (allowed && mask[cell]) allowed[place] = 1;
      }
    }
  });
  return { rows: rowGroups.length, columns, weights, allowed };
}

/** @param {Matrix} matrix @returns {number} */
export function largestWeight({ weights }) {
  let largest = 0;
  for (let cell = 0; cell < weights.length; cell++) if (weights[cell] > largest) largest = weights[cell];
  return largest;
}
