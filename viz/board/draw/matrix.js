/**
 * A matrix on a canvas, one pixel a cell: CSS enlarges it, so drawing costs the same at every size and resolution.
 * Forbidden cells and blank rows stay transparent and show what lies behind the canvas.
 */

import { PALETTE } from "./colors.js";

/** @typedef {import("../data/view.js").View} View */

/** @param {HTMLCanvasElement} canvas @param {(pixels: Uint32Array) => void} fill */
function paint(canvas, rows, columns, fill) {
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  fill(new Uint32Array(image.data.buffer));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** @param {number} weight @param {number} scale the weight of the last colour */
const color = (weight, scale) => PALETTE[Math.round(Math.min(1, weight / scale) * 255)];

/** Cells that are drawn: not forbidden, and not in a row that is blank. @param {View} view */
function drawn({ matrix: { allowed, columns }, blank }) {
  return (/** @type {number} */ cell) => (!allowed || allowed[cell]) && !blank?.[Math.floor(cell / columns)];
}

/** @param {HTMLCanvasElement} canvas @param {View} view */
export function paintView(canvas, view) {
  const { weights, rows, columns } = view.matrix;
  const isDrawn = drawn(view);
  paint(canvas, rows, columns, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) {
      if (isDrawn(cell)) pixels[cell] = color(weights[cell], view.scale);
    }
  });
}

/**
 * The same in at most `width` by `height` pixels. Where several cells share a pixel it shows the largest of their
 * weights: the mean would drown the single strong cells that a head is known by.
 * @param {HTMLCanvasElement} canvas @param {View} view
 */
export function paintThumbnail(canvas, view, width, height) {
  const { weights, rows, columns } = view.matrix;
  const across = Math.ceil(columns / width);
  const down = Math.ceil(rows / height);
  if (across === 1 && down === 1) {
    paintView(canvas, view);
    return;
  }
  const isDrawn = drawn(view);
  const narrowed = Math.ceil(columns / across);
  const largest = new Float32Array(narrowed * Math.ceil(rows / down)).fill(-1);
  for (let row = 0, cell = 0; row < rows; row++) {
    const above = Math.floor(row / down) * narrowed;
    for (let column = 0; column < columns; column++, cell++) {
      if (!isDrawn(cell)) continue;
      const place = above + ((column / across) | 0);
      if (weights[cell] > largest[place]) largest[place] = weights[cell];
    }
  }
  paint(canvas, largest.length / narrowed, narrowed, (pixels) => {
    largest.forEach((weight, place) => {
      if (weight >= 0) pixels[place] = color(weight, view.scale);
    });
  });
}

/** Allowed cells in one colour. @param {HTMLCanvasElement} canvas @param {Uint8Array} allowed */
export function paintMask(canvas, allowed, rows, columns) {
  paint(canvas, rows, columns, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) if (allowed[cell]) pixels[cell] = PALETTE[128];
  });
}
