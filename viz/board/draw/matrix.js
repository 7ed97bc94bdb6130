/**
 * A matrix on a canvas, one pixel a cell: CSS enlarges it, so drawing costs the same at every size and resolution.
 * Forbidden cells stay transparent and show the hatching behind the canvas.
 */

import { PALETTE } from "./colors.js";
import { headStart } from "../data/decode.js";

/** @param {HTMLCanvasElement} canvas @param {(pixels: Uint32Array) => void} fill */
function paint(canvas, rows, columns, fill) {
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  fill(new Uint32Array(image.data.buffer));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** @param {HTMLCanvasElement} canvas @param {import("../data/decode.js").HeadMap} map */
export function paintHead(canvas, map, layer, head) {
  const start = headStart(map, layer, head);
  paint(canvas, map.rows, map.columns, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) {
      if (!map.allowed || map.allowed[cell]) pixels[cell] = PALETTE[Math.round(map.weights[start + cell] * 255)];
    }
  });
}

/**
 * The same in at most `width` by `height` pixels. Where several cells share a pixel it shows the largest of their
 * weights: the mean would drown the single strong cells that a head is known by.
 * @param {HTMLCanvasElement} canvas @param {import("../data/decode.js").HeadMap} map
 */
export function paintThumbnail(canvas, map, layer, head, width, height) {
  const across = Math.ceil(map.columns / width);
  const down = Math.ceil(map.rows / height);
  if (across === 1 && down === 1) {
    paintHead(canvas, map, layer, head);
    return;
  }
  const start = headStart(map, layer, head);
  const columns = Math.ceil(map.columns / across);
  const largest = new Float32Array(columns * Math.ceil(map.rows / down)).fill(-1);
  for (let row = 0, cell = 0; row < map.rows; row++) {
    const above = Math.floor(row / down) * columns;
    for (let column = 0; column < map.columns; column++, cell++) {
      if (map.allowed && !map.allowed[cell]) continue;
      const place = above + ((column / across) | 0);
      const weight = map.weights[start + cell];
      if (weight > largest[place]) largest[place] = weight;
    }
  }
  paint(canvas, largest.length / columns, columns, (pixels) => {
    largest.forEach((weight, place) => {
      if (weight >= 0) pixels[place] = PALETTE[Math.round(weight * 255)];
    });
  });
}

/** Allowed cells in one colour. @param {HTMLCanvasElement} canvas @param {Uint8Array} allowed */
export function paintMask(canvas, allowed, rows, columns) {
  paint(canvas, rows, columns, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) if (allowed[cell]) pixels[cell] = PALETTE[128];
  });
}
