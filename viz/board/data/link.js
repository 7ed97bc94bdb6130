/**
 * What is shown, as the fragment of an address, and back. Fragments stay in the browser: no server and no proxy on the
 * way is sent the text.
 *
 *     #text=Me+gusta+estudiar.&to=en&model=es-en&layer=3&head=5&view=lines
 *
 * Layers, heads and steps count from 1, as on the page. What is left out is as on a page that has just been opened, so
 * that a link shows the same whatever was on the page before.
 *
 * A trace holds at most 10,000 characters of a text (MAX_CHARACTERS in transformer/translator.py), in an address up to
 * twelve times as many: browsers open that, programs that pass links on may not.
 */

import { CHOICES } from "./store.js";

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./store.js").Selection} Selection */

/**
 * What the server is asked for. `forced` is the text that was given as the translation; null: the model's own.
 * @typedef {{text: string, target: string, beam_size: number, forced: string | null}} Request
 */

/**
 * `ignored` are the parts that mean nothing here, as they stood in the fragment.
 * @typedef {{model: string | null, request: Partial<Request>, selection: Partial<Selection>, ignored: string[]}} Link
 */

/**
 * How a value stands in a link. `read` gives undefined for what cannot be meant.
 * @template Value
 * @typedef {{write: (value: Value) => string, read: (text: string) => Value | undefined}} Notation
 */

/** Languages that can be translated into, and the largest beam: a test holds them to the server's. */
export const TARGETS = ["en", "es"];
export const LARGEST_BEAM = 12;

const WHOLE = /^[1-9]\d{0,3}$/;

/** @type {Notation<string>} */
const AS_IT_IS = { write: (text) => text, read: (text) => text };

/** @type {Notation<number>} */
const COUNT = {
  write: (value) => String(value + 1),
  read: (text) => (WHOLE.test(text) ? Number(text) - 1 : undefined),
};

/** @type {Notation<number[]>} */
const COUNTS = {
  write: (values) => values.map(COUNT.write).join(","),
  read: (text) => {
    const values = text.split(",").map(COUNT.read);
    return values.includes(undefined) ? undefined : /** @type {number[]} */ ([...new Set(values)]);
  },
};

/** @type {Notation<number>} */
const BEAM_SIZE = {
  write: String,
  read: (text) => (WHOLE.test(text) && Number(text) <= LARGEST_BEAM ? Number(text) : undefined),
};

/** @param {string[]} values @returns {Notation<string>} */
const oneOf = (values) => ({ write: (text) => text, read: (text) => (values.includes(text) ? text : undefined) });

/** @type {{name: string, property: keyof Request, notation: Notation<any>}[]} */
const REQUEST_PARTS = [
  { name: "text", property: "text", notation: AS_IT_IS },
  { name: "to", property: "target", notation: oneOf(TARGETS) },
  { name: "beam", property: "beam_size", notation: BEAM_SIZE },
  { name: "forced", property: "forced", notation: AS_IT_IS },
];

/** @type {Record<keyof Selection, Notation<any>>} */
const SELECTION_PARTS = {
  tab: oneOf(CHOICES.tab),
  map: oneOf(CHOICES.map),
  layer: COUNT,
  head: COUNT,
  step: COUNT,
  merge: oneOf(CHOICES.merge),
  view: oneOf(CHOICES.view),
  lines: COUNTS,
  units: oneOf(CHOICES.units),
  special: oneOf(CHOICES.special),
  scale: oneOf(CHOICES.scale),
};

const SELECTION_NAMES = /** @type {(keyof Selection)[]} */ (Object.keys(SELECTION_PARTS));

/** @type {Record<string, unknown>} */
const USUAL = Object.fromEntries(
  Object.entries({ beam_size: [1], ...CHOICES }).map(([name, [first]]) => [name, first]),
);

/** As on a page that has just been opened, so not written. @param {string} name @param {unknown} value */
function isUsual(name, value) {
  return value === null || value === USUAL[name] || (Array.isArray(value) && value.length === 0);
}

/** What the server is to be asked for to get the trace again. @param {Trace} trace @returns {Request} */
export function requestOf({ sourceText, target, beamSize, forcedText }) {
  return { text: sourceText, target, beam_size: beamSize, forced: forcedText };
}

/** @param {string} model @param {Request} request @param {Selection} selection @returns {string} with its "#" */
export function writeLink(model, request, selection) {
  const parts = new URLSearchParams();
  for (const { name, property, notation } of REQUEST_PARTS) {
    if (!isUsual(property, request[property])) parts.append(name, notation.write(request[property]));
  }
  parts.append("model", model);
  for (const name of SELECTION_NAMES) {
    if (!isUsual(name, selection[name])) parts.append(name, SELECTION_PARTS[name].write(selection[name]));
  }
  return `#${parts}`.replaceAll("%2C", ","); // a comma needs no code, and lists of heads are read by people
}

/** One property as it stands in a link. @param {keyof Selection} name @param {Partial<Selection>} selection */
export function writtenPart(name, selection) {
  return `${name}=${SELECTION_PARTS[name].write(selection[name])}`;
}

/** Never throws: whatever was typed or cut off is put aside. @param {string} fragment with or without its "#" */
export function readLink(fragment) {
  /** @type {Link} */
  const link = { model: null, request: {}, selection: {}, ignored: [] };
  const seen = new Set();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    if (part === "") continue;
    const [name] = part.split("=", 1);
    const value = decoded(part.slice(name.length + 1));
    if (seen.has(name) || !part.includes("=") || value === null || !take(link, name, value)) {
      link.ignored.push(decoded(part) ?? part);
    }
    seen.add(name);
  }
  return link;
}

/** @param {string} text @returns {string | null} null for what was cut within a letter or is no encoded text */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** @param {Link} link to be added to @param {string} name @param {string} text @returns {boolean} understood */
function take(link, name, text) {
  if (name === "model") return set(link, "model", text);
  const asked = REQUEST_PARTS.find((part) => part.name === name);
  if (asked) return set(link.request, asked.property, asked.notation.read(text));
  const selected = SELECTION_NAMES.find((property) => property === name);
  return selected !== undefined && set(link.selection, selected, SELECTION_PARTS[selected].read(text));
}

/** @param {object} holder @param {string} name @param {unknown} value @returns {boolean} false: there is none */
function set(holder, name, value) {
  if (value === undefined) return false;
  Object.assign(holder, { [name]: value });
  return true;
}
