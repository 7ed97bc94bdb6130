/** A token as it is shown everywhere: a faint mark for the space, special and unknown tokens told apart. */

import { SPACE } from "../data/layout.js";
import { make } from "./dom.js";

export const UNKNOWN = "<unk>";

/** @typedef {import("../data/layout.js").Piece} Piece */

/** @param {Piece} piece @returns {HTMLElement} */
export function tokenElement({ token, surface = "", special = false }) {
  if (special) return make("bdi", { class: "hl-token hl-special" }, token);
  if (token === UNKNOWN) return make("bdi", { class: "hl-token hl-unknown" }, ...unknownParts(surface));
  const node = make("bdi", { class: "hl-token" });
  const parts = token.split(SPACE);
  const isHeard = !parts.some(Boolean); // a mark alone is all that there is to be read out
  parts.forEach((part, i) => {
    if (i > 0) node.append(make("span", { class: "hl-space", "aria-hidden": !isHeard && "true" }, SPACE));
    if (part) node.append(part);
  });
  return node;
}

/** One unknown piece may stand for a whole pasted page of a script that the model cannot read. */
const LONGEST_TYPED = 24;

/** Control, format, private and unassigned characters, and spaces other than the plain one: nothing of them is seen. */
const INVISIBLE = /(?! )[\p{C}\p{Z}]/u;

/** A letter that can be seen; U+0000 as "<U+0000>". @param {string} letter one code point */
function visible(letter) {
  if (!INVISIBLE.test(letter)) return letter;
  return `<U+${Number(letter.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** What was typed for an unknown piece, cut where it would fill the screen. @param {string} surface */
function typedText(surface) {
  let text = "";
  for (const letter of surface) {
    if (letter === SPACE) continue;
    if (text.length >= LONGEST_TYPED) return `${text}…`;
    text += visible(letter);
  }
  return text;
}

/** @param {string} surface */
function unknownParts(surface) {
  const name = make("span", { class: "hl-unknown-name" }, UNKNOWN);
  const typed = typedText(surface);
  return typed ? [name, make("span", { class: "hl-typed" }, typed)] : [name];
}

/** The same in one line of plain text, for titles. @param {Piece} piece */
export function tokenText({ token, surface = "" }) {
  return token === UNKNOWN && surface ? `${UNKNOWN} ${typedText(surface)}` : token;
}

/** The same to be read out: marks of spaces have names that nobody wants to hear. @param {Piece} piece */
export function spokenText(piece) {
  const text = tokenText(piece);
  return text.replaceAll(SPACE, " ").trim() || text;
}
