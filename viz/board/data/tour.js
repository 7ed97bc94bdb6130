/** The way through all heads that a presentation takes: a map's heads layer by layer, then those of the next map. */

import { KINDS } from "./decode.js";

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./decode.js").Kind} Kind */
/** @typedef {import("./store.js").Selection} Selection */

/**
 * Which of its map's heads the chosen one is, from 0, and how many there are.
 * @param {Trace} trace @param {Selection} selection
 */
export function placeOfHead(trace, { map, layer, head }) {
  const { layers, heads } = trace.maps[map];
  return { place: layer * heads + head, count: layers * heads };
}

/**
 * One head alone, whatever was merged or drawn beside it.
 * @param {Trace} trace @param {Kind} map @param {number} place from 0; negative ones count from the end
 * @returns {Partial<Selection>}
 */
export function headAt(trace, map, place) {
  const { layers, heads } = trace.maps[map];
  const found = place < 0 ? layers * heads + place : place;
  return { map, layer: Math.floor(found / heads), head: found % heads, merge: "head", lines: [] };
}

/**
 * The next head or the one before; behind the last head of the last map comes the first of the first. A merged picture
 * is left for the chosen head, from which the way goes on.
 * @param {Trace} trace @param {Selection} selection @param {1 | -1} way
 */
export function headBeside(trace, selection, way) {
  const { place, count } = placeOfHead(trace, selection);
  if (selection.merge !== "head") return headAt(trace, selection.map, place);
  const next = place + way;
  if (next >= 0 && next < count) return headAt(trace, selection.map, next);
  return headAt(trace, mapBeside(selection.map, way), way > 0 ? 0 : -1);
}

/** @param {Kind} map @param {1 | -1} way */
export function mapBeside(map, way) {
  return KINDS[(KINDS.indexOf(map) + way + KINDS.length) % KINDS.length];
}
