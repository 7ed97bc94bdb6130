/**
 * A matrix on a canvas, one pixel a cell: CSS enlarges it, so drawing costs the same at every size and resolution.
 * Forbidden cells stay transparent and show what lies behind the canvas; blank rows are of a grey that is no weight's.
 */

import { PALETTE } from "./colors.js";

/**
 * What is drawn of a view: it may be of no one head or map.
 * @typedef {Pick<import("../data/view.js").View, "matrix" | "blank" | "scale">} Cells
 */

/**
 * @param {HTMLCanvasElement} canvas @param {number} rows @param {number} columns
 * @param {(pixels: Uint32Array) => void} fill
 */
export function paint(canvas, rows, columns, fill) {
  if (canvas.width !== columns) canvas.width = columns; // a size that is set clears the canvas, even if it had it
  if (canvas.height !== rows) canvas.height = rows;
  const image = new ImageData(columns, rows);
  fill(new Uint32Array(image.data.buffer));
  // Written as a whole and never drawn on: main memory is where it is wanted.
  canvas.getContext("2d", { willReadFrequently: true })?.putImageData(image, 0, 0);
}

/** As PALETTE has its colours. */
const BLANK = 0xffc8c4c4;
/** What a cell has instead of a weight; any weight is above. */
const IS_FORBIDDEN = -2;
const IS_BLANK = -1;

/** @param {HTMLCanvasElement} canvas @param {Cells} view */
export function paintView(canvas, view) {
  const { rows, columns, colors } = pooledColors(view, Infinity, Infinity);
  if (rows * columns === 0) canvas.width = 0; // hidden special tokens may have been all there was
  else paint(canvas, rows, columns, (pixels) => pixels.set(colors));
}

/**
 * Colours of a view in at most `width` by `height` pixels, 0 where a cell is forbidden. Where several cells share a
 * pixel it has the largest of their weights: the mean would drown the single strong cells that a head is known by.
 * @param {Cells} view @param {number} width @param {number} height
 * @returns {{rows: number, columns: number, colors: Uint32Array}}
 */
export function pooledColors({ matrix: { weights, allowed, rows, columns }, blank, scale }, width, height) {
  const size = { rows: Math.min(rows, height), columns: Math.min(columns, width) };
  const largest = new Float32Array(size.rows * size.columns).fill(IS_FORBIDDEN);
  const across = Uint16Array.from({ length: columns }, (_, column) => Math.floor(column * size.columns / columns));
  for (let row = 0, cell = 0; row < rows; row++) {
    const above = Math.floor(row * size.rows / rows) * size.columns;
    const most = blank !== null && blank[row] === 1 ? IS_BLANK : Infinity;
    for (let column = 0; column < columns; column++, cell++) {
      if (allowed !== null && allowed[cell] === 0) continue;
      const place = above + across[column];
      const weight = Math.min(most, weights[cell]);
      if (weight > largest[place]) largest[place] = weight;
    }
  }
  const last = 255 / scale;
  const colors = new Uint32Array(largest.length);
  for (let place = 0; place < largest.length; place++) {
    const weight = largest[place];
    if (weight >= 0) colors[place] = PALETTE[Math.min(255, weight * last + 0.5) | 0];
    else if (weight === IS_BLANK) colors[place] = BLANK;
  }
  return { ...size, colors };
}

/**
 * Allowed cells in one colour.
 * @param {HTMLCanvasElement} canvas @param {Uint8Array} allowed @param {number} rows @param {number} columns
 */
export function paintMask(canvas, allowed, rows, columns) {
  paint(canvas, rows, columns, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) if (allowed[cell]) pixels[cell] = PALETTE[128];
  });
}
