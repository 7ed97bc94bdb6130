/**
 * Many small pictures on one canvas that lies over their places. With a canvas of its own each would be a layer of the
 * browser's, and fifty layers keep a frame waiting.
 */

import { paint, pooledColors } from "./matrix.js";

/** @typedef {import("./matrix.js").Cells} Cells */
/**
 * Pixels of the screen, counted from the sheet's corner.
 * @typedef {{left: number, top: number, right: number, bottom: number}} Box
 */

/**
 * Each view fills its box, cells as equal as whole pixels allow.
 * @param {HTMLCanvasElement} canvas @param {Cells[]} views @param {Box[]} boxes
 */
export function paintSheet(canvas, views, boxes) {
  const width = Math.max(...boxes.map(({ right }) => right));
  const height = Math.max(...boxes.map(({ bottom }) => bottom));
  paint(canvas, height, width, (pixels) => views.forEach((view, i) => fillBox(pixels, width, view, boxes[i])));
  canvas.style.width = `${width / devicePixelRatio}px`;
  canvas.style.height = `${height / devicePixelRatio}px`;
}

/** @param {Uint32Array} pixels @param {number} stride @param {Cells} view @param {Box} box */
function fillBox(pixels, stride, view, { left, top, right, bottom }) {
  const [width, height] = [right - left, bottom - top];
  const { rows, columns, colors } = pooledColors(view, width, height);
  if (rows * columns === 0) return;
  let painted = -1;
  for (let y = 0, start = top * stride + left; y < height; y++, start += stride) {
    const row = Math.floor(y * rows / height);
    if (row === painted) {
      pixels.copyWithin(start, start - stride, start - stride + width);
      continue;
    }
    painted = row;
    for (let x = 0; x < width; x++) pixels[start + x] = colors[row * columns + Math.floor(x * columns / width)];
  }
}

/**
 * Where nodes are on a sheet that begins at the corner of `holder`.
 * @param {Element[]} nodes @param {Element} holder @returns {Box[]}
 */
export function boxesIn(nodes, holder) {
  const corner = holder.getBoundingClientRect();
  const near = (/** @type {number} */ length) => Math.floor(length * devicePixelRatio);
  const far = (/** @type {number} */ length) => Math.ceil(length * devicePixelRatio);
  return nodes.map((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return {
      left: near(left - corner.left), top: near(top - corner.top),
      right: far(right - corner.left), bottom: far(bottom - corner.top),
    };
  });
}
