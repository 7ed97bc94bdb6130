/** Viridis: perceptually even and readable by the colour-blind. Sixteen steps of Matplotlib's table, mixed between. */

const ANCHORS = [
  0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c,
  0x1fa088, 0x28ae80, 0x3fbc73, 0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725,
];

const channels = (/** @type {number} */ color) => [color >> 16, (color >> 8) & 255, color & 255];

/** @param {number} value 0 to 1 @returns {[number, number, number]} red, green, blue, 0 to 255 */
export function viridis(value) {
  const place = value * (ANCHORS.length - 1);
  const below = Math.min(Math.floor(place), ANCHORS.length - 2);
  const [from, to] = [channels(ANCHORS[below]), channels(ANCHORS[below + 1])];
  const mixed = (/** @type {0 | 1 | 2} */ i) => Math.round(from[i] + (to[i] - from[i]) * (place - below));
  return [mixed(0), mixed(1), mixed(2)];
}

/** 256 colours as ImageData holds them when seen as 32-bit numbers: alpha, blue, green, red. */
export const PALETTE = Uint32Array.from({ length: 256 }, (_, i) => {
  const [red, green, blue] = viridis(i / 255);
  return (255 << 24) | (blue << 16) | (green << 8) | red;
});

/** The scale as a CSS gradient. @param {string} direction "to right" for one */
export function gradient(direction) {
  const stops = ANCHORS.map((color) => `#${color.toString(16).padStart(6, "0")}`);
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}
