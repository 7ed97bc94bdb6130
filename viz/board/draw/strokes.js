/** Weights as lines between two columns of tokens: the larger the weight, the wider and fuller its line. */

/** @typedef {import("../data/view.js").View} View */

/**
 * Colours of heads, in their order: found by a search for eight that are far apart in every kind of colour blindness
 * (tests/viz/test_colors.py) and have a contrast of 3 or more on the light and on the dark page. A ninth head begins
 * again.
 */
const COLORS = ["#005af0", "#f00069", "#969600", "#008769", "#c30096", "#786900", "#2d96f0", "#e169a5"];

/** @param {number} head */
export const headColor = (head) => COLORS[head % COLORS.length];

/** Lines that can be told apart, and drawn within a frame: the weakest beyond that many are left out. */
const MOST_LINES = 1000;
/** Of those, the lines that are drawn first: so many take no longer than the rest of a frame. */
const MOST_AT_ONCE = 300;
/** Part of the scale under which a line could not be seen. */
const LEAST_PART = 0.01;
/** Pixels of the faintest and of the strongest line, at a type of 16 pixels. */
const THINNEST = 0.75;
const BROADEST = 4;

/** A view and the colour of its lines. @typedef {{view: View, color: string}} Strand */
/** One line. @typedef {{row: number, column: number, weight: number, part: number, color: string}} Stroke */

/**
 * The lines to draw, the weakest first, so that the strongest lie on top; forbidden pairs and blank rows have none.
 * @param {Strand[]} strands
 * @returns {{strokes: Stroke[], least: number}} `least` is the weight under which lines were left out
 */
export function strokesOf(strands) {
  const least = leastDrawn(strands.map(({ view }) => view));
  /** @type {Stroke[]} */
  const strokes = [];
  for (const { view: { matrix: { weights, columns }, blank, scale }, color } of strands) {
    weights.forEach((weight, cell) => {
      const row = Math.floor(cell / columns);
      if (weight < least || blank?.[row]) return;
      strokes.push({ row, column: cell % columns, weight, part: Math.min(1, weight / scale), color });
    });
  }
  return { strokes: strokes.sort((one, other) => one.weight - other.weight), least };
}

/** @param {View[]} views */
function leastDrawn(views) {
  const visible = LEAST_PART * Math.max(...views.map(({ scale }) => scale));
  const weights = joined(views.map(({ matrix }) => matrix.weights.filter((weight) => weight >= visible)));
  return weights.length > MOST_LINES ? weights.sort()[weights.length - MOST_LINES] : visible;
}

/** @param {Float32Array[]} arrays */
function joined(arrays) {
  const all = new Float32Array(arrays.reduce((length, array) => length + array.length, 0));
  let place = 0;
  for (const array of arrays) {
    all.set(array, place);
    place += array.length;
  }
  return all;
}

/**
 * Paints the strongest lines.
 * @param {HTMLCanvasElement} canvas as large as its box
 * @param {Stroke[]} strokes
 * @param {number} pitch pixels from one token to the next
 * @param {{left: number, right: number}} inset pixels that stay free at either side
 * @returns {() => void} paints the weaker ones behind them, to be called a frame later
 */
export function paintStrokes(canvas, strokes, pitch, inset) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const fine = window.devicePixelRatio;
  const unit = parseFloat(getComputedStyle(canvas).fontSize) / 16;
  canvas.width = Math.round(width * fine);
  canvas.height = Math.round(height * fine);
  const context = canvas.getContext("2d");
  if (!context) return () => {};
  context.scale(fine, fine);

  const paint = (/** @type {Stroke[]} */ ones) => {
    for (const { row, column, part, color } of ones) {
      context.globalAlpha = part;
      context.strokeStyle = color;
      context.lineWidth = (THINNEST + (BROADEST - THINNEST) * part) * unit;
      context.beginPath();
      context.moveTo(inset.left, (row + 0.5) * pitch);
      context.lineTo(width - inset.right, (column + 0.5) * pitch);
      context.stroke();
    }
  };
  const weaker = Math.max(0, strokes.length - MOST_AT_ONCE);
  paint(strokes.slice(weaker));
  return () => {
    context.globalCompositeOperation = "destination-over";
    paint(strokes.slice(0, weaker).reverse());
  };
}
