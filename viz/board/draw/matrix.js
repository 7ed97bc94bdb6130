/**
 * A matrix on a canvas, one pixel a cell: CSS enlarges it, so drawing costs the same at every size and resolution.
 * Forbidden cells stay transparent and show what lies behind the canvas; blank rows are of a grey that is no weight's.
 */

import { PALETTE } from "./colors.js";

/** @typedef {import("../data/view.js").View} View */

/**
 * @param {HTMLCanvasElement} canvas @param {number} rows @param {number} columns
 * @param {(pixels: Uint32Array) => void} fill
 */
function paint(canvas, rows, columns, fill) {
  if (canvas.width !== columns) canvas.width = columns; // a size that is set clears the canvas, even if it had it
  if (canvas.height !== rows) canvas.height = rows;
  const image = new ImageData(columns, rows);
  fill(new Uint32Array(image.data.buffer));
  // Written as a whole and never drawn on: fifty of them in textures of their own would keep the frame waiting.
  canvas.getContext("2d", { willReadFrequently: true })?.putImageData(image, 0, 0);
}

/** @param {number} weight @param {number} scale the weight of the last colour */
const color = (weight, scale) => PALETTE[Math.round(Math.min(1, weight / scale) * 255)];

/** As PALETTE has its colours. */
const BLANK = 0xffc8c4c4;
/** What a cell has instead of a weight; any weight is above. */
const IS_FORBIDDEN = -2;
const IS_BLANK = -1;

/** @param {HTMLCanvasElement} canvas @param {View} view */
export function paintView(canvas, view) {
  paintPooled(canvas, view, 1, 1);
}

/**
 * The same in at most `width` by `height` pixels. Where several cells share a pixel it shows the largest of their
 * weights: the mean would drown the single strong cells that a head is known by.
 * @param {HTMLCanvasElement} canvas @param {View} view @param {number} width @param {number} height
 */
export function paintThumbnail(canvas, view, width, height) {
  const { rows, columns } = view.matrix;
  paintPooled(canvas, view, Math.ceil(columns / width), Math.ceil(rows / height));
}

/** @param {HTMLCanvasElement} canvas @param {View} view @param {number} across cells a pixel @param {number} down */
function paintPooled(canvas, { matrix: { weights, allowed, rows, columns }, blank, scale }, across, down) {
  if (weights.length === 0) { // hidden special tokens may have been all there was
    canvas.width = 0;
    return;
  }
  const narrowed = Math.ceil(columns / across);
  const largest = new Float32Array(narrowed * Math.ceil(rows / down)).fill(IS_FORBIDDEN);
  for (let row = 0, cell = 0; row < rows; row++) {
    const above = Math.floor(row / down) * narrowed;
    const isBlank = blank !== null && blank[row] === 1;
    for (let column = 0; column < columns; column++, cell++) {
      if (allowed !== null && !allowed[cell]) continue;
      const place = above + ((column / across) | 0);
      const weight = isBlank ? IS_BLANK : weights[cell];
      if (weight > largest[place]) largest[place] = weight;
    }
  }
  paint(canvas, largest.length / narrowed, narrowed, (pixels) => {
    for (let place = 0; place < largest.length; place++) {
      const weight = largest[place];
      if (weight !== IS_FORBIDDEN) pixels[place] = weight === IS_BLANK ? BLANK : color(weight, scale);
    }
  });
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
