/** Heads as lines between what looks, at the left, and what is looked at, at the right. Several heads at once. */

import { rowOfStep } from "../data/layout.js";
import { weightAt } from "../data/matrices.js";
import { make, movedByKey } from "../draw/dom.js";
import { createScroller } from "../draw/scroll.js";
import { createSpeaker } from "../draw/speak.js";
import { paintStrokes, strokesOf } from "../draw/strokes.js";
import { filled } from "../draw/text.js";
import { spokenText, tokenElement, tokenText } from "../draw/token.js";
import { eachOf, sideTitles } from "./naming.js";
import { createStrandChooser } from "./strands.js";

/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../data/view.js").View} View */
/** @typedef {import("../data/layout.js").Layout} Layout */
/** @typedef {import("../data/layout.js").Piece} Piece */
/** @typedef {import("../draw/strokes.js").Stroke} Stroke */
/** @typedef {import("../draw/text.js").Wording} Wording */

/**
 * What is drawn in one colour, its name, and the number of its head, where it is one, from 0.
 * @typedef {{view: View, color: string, name: string, head: number | null}} NamedStrand
 */
/** A token of one side. @typedef {{side: "row" | "column", place: number}} End */

/** Type sizes from one token to the next, and of the titles above the first. */
const CLOSEST = 1.1;
const FARTHEST = 2;
const TITLES_HEIGHT = 1.5;
/** Pixels that a fingertip needs: WCAG 2.2, 2.5.8. */
const FINGER = 24;
/** Part of the window's height that the tokens may take together. */
const LINES_SHARE = 0.62;
/** Letters that fit into any type: only longer pieces are clipped, for to clip hundreds takes long. */
const SURELY_FIT = 8;
/** How many of the largest weights are told of a token that keys reached. */
const TOLD = 4;

/**
 * @param {Wording} t @param {(change: Partial<Selection>) => void} onChoose
 * @param {() => import("../draw/plot.js").Room} [room] that tokens and titles may take
 */
export function createLines(t, onChoose, room) {
  const chooser = createStrandChooser(t, onChoose);
  const canvas = /** @type {HTMLCanvasElement} */ (make("canvas", { "aria-hidden": true }));
  const titles = { row: sideTitle(), output: sideTitle(), column: sideTitle() };
  const sides = { row: sideList(t("lines.rows")), column: sideList(t("lines.columns")) };
  const table = make("div", { class: "hl-strands" },
    make("div", { class: "hl-strand-titles" }, titles.row, titles.output), make("span"), titles.column,
    sides.row, make("div", { class: "hl-strand-canvas" }, canvas), sides.column);
  const { root: frame } = createScroller(table);
  const readout = make("div", { class: "hl-readout" });
  const least = make("p", { class: "hl-hint hl-least" });
  const speaker = createSpeaker();
  const root = make("div", { class: "hl-linesview" }, chooser.root, frame, readout, least, speaker.root);
  /** @type {{strands: NamedStrand[], strokes: Stroke[]} | null} */
  let shown = null;
  /** @type {Layout | null} */
  let layout = null;
  let isRollout = false;
  /** @type {End | null} */
  let current = null;
  let pitch = 0;
  /** The frame in which the weaker lines come. */
  let coming = 0;

  /** @param {Layout} next @param {Selection["merge"]} merge */
  function setLayout(next, merge) {
    layout = next;
    current = null;
    const words = sideTitles(next, merge, t);
    titles.row.textContent = `${words.row} ↓`;
    titles.output.textContent = next.outputs ? `${words.output} ↓` : "";
    titles.column.textContent = `→ ${words.column}`;
    table.classList.toggle("hl-with-outputs", next.outputs !== null);
    sides.row.replaceChildren(...next.rows.pieces.map((piece, place) =>
      token({ side: "row", place }, [piece, ...(next.outputs ? [next.outputs[place]] : [])])));
    sides.column.replaceChildren(...next.columns.pieces.map((piece, place) =>
      token({ side: "column", place }, [piece])));
  }

  /** @param {End} end @param {Piece[]} pieces */
  function token(end, pieces) {
    const attributes = { type: "button", class: "hl-strand-token", "data-side": end.side, "data-place": end.place };
    const button = make("button", { ...attributes, tabindex: end.place ? -1 : 0 }, ...pieces.map(pieceElement));
    button.addEventListener("pointerenter", () => point(end, "pointer"));
    button.addEventListener("pointerleave", () => point(focused(), "pointer"));
    button.addEventListener("focus", () => point(end, "keys"));
    button.addEventListener("blur", () => point(null, "keys"));
    button.addEventListener("keydown", (event) => move(event, end));
    return make("li", {}, button, make("span", { class: "hl-strand-numbers" }));
  }

  function focused() {
    const { side: at, place } = /** @type {HTMLElement} */ (document.activeElement)?.dataset ?? {};
    const inside = root.contains(document.activeElement) && (at === "row" || at === "column");
    return inside ? { side: /** @type {End["side"]} */ (at), place: Number(place) } : null;
  }

  /** Up and down within a side, left and right to the other. @param {KeyboardEvent} event @param {End} end */
  function move(event, end) {
    if (!layout) return;
    if (event.key === "Escape") point(null, "keys");
    const from = { row: end.place, column: end.side === "row" ? 0 : 1 };
    const size = { rows: Math.max(layout.rows.pieces.length, layout.columns.pieces.length), columns: 2 };
    const next = movedByKey(event, from, size);
    if (!next) return;
    event.preventDefault();
    const buttons = [...(next.column ? sides.column : sides.row).querySelectorAll("button")];
    const chosen = buttons[Math.min(next.row, buttons.length - 1)];
    for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
    chosen.focus();
  }

  /**
   * Only the lines of one token, with their numbers; all lines where it is null.
   * @param {End | null} end @param {"pointer" | "keys"} by
   */
  function point(end, by) {
    speaker.hush();
    if (end?.side === current?.side && end?.place === current?.place) return;
    for (const other of [sides.row, sides.column]) clearNumbers(other);
    current = end;
    describe(by);
    paint();
  }

  /** @param {"pointer" | "keys"} by */
  function describe(by) {
    root.classList.toggle("hl-pointed", current !== null);
    for (const at of /** @type {const} */ (["row", "column"])) {
      [...sides[at].children].forEach((item, place) =>
        item.classList.toggle("hl-crossed", current?.side === at && current.place === place));
    }
    readout.replaceChildren(make("span", { class: "hl-hint" }, t("lines.hint")));
    if (!current || !shown || !layout) return;
    const { strands } = shown;
    const end = current;
    const opposite = end.side === "row" ? sides.column : sides.row;
    [...opposite.children].forEach((item, place) => showNumbers(item, strands, cellOf(end, place)));
    const { key, pieces } = sentenceOf(layout, end, isRollout);
    readout.replaceChildren(make("span", { class: "hl-pair" }, ...filled(t(key), eachOf(pieces, tokenElement))));
    if (by === "keys") speaker.say(`${t(key, eachOf(pieces, spokenText))} ${told(end)}`);
  }

  /** The largest weights of a token's lines in the first of the heads. @param {End} end */
  function told(end) {
    if (!shown || !layout) return "";
    const [{ view, name }] = shown.strands;
    const others = end.side === "row" ? layout.columns.pieces : layout.rows.pieces;
    const largest = others
      .map((piece, place) => ({ piece, weight: weightOf(view, cellOf(end, place)) ?? 0 }))
      .sort((one, other) => other.weight - one.weight).slice(0, TOLD)
      .map(({ piece, weight }) => `${spokenText(piece)} ${t.fraction(weight)}`).join(", ");
    return shown.strands.length > 1 ? `${name}: ${largest}` : largest;
  }

  /** @param {Element} item @param {NamedStrand[]} strands @param {{row: number, column: number}} cell */
  function showNumbers(item, strands, cell) {
    const weights = strands.map(({ view }) => weightOf(view, cell));
    const forbidden = weightAt(strands[0].view.matrix, cell.row, cell.column) === null;
    item.classList.toggle("hl-apart", forbidden);
    const numbers = strands.map((strand, i) => number(weights[i], strand, strands.length > 1));
    const instead = make("span", { class: "hl-value-forbidden" }, t("table.forbidden"));
    item.lastElementChild?.replaceChildren(...(forbidden ? [instead] : numbers));
  }

  /**
   * Of several heads, each number tells its own: colours alone would not tell everybody.
   * @param {number | null} weight null in a blank row @param {NamedStrand} strand @param {boolean} isOneOfSeveral
   */
  function number(weight, { color, name, head }, isOneOfSeveral) {
    const words = weight === null ? t("table.blank") : t.fraction(weight);
    const said = isOneOfSeveral && head !== null ? t("lines.of_head", { head: head + 1, weight: words }) : words;
    const node = make("span", { class: "hl-strand-number", title: name }, said);
    node.style.setProperty("--strand", color);
    return node;
  }

  /** Lines end before the numbers, where there are some. */
  function paint() {
    cancelAnimationFrame(coming);
    if (!shown || !canvas.clientWidth) return;
    const strokes = shown.strokes.filter((stroke) => !current || stroke[current.side] === current.place);
    const inset = { left: widestNumbers(sides.row), right: widestNumbers(sides.column) };
    coming = requestAnimationFrame(paintStrokes(canvas, strokes, pitch, inset));
  }

  /** @param {Layout} next */
  function fit({ rows, columns }) {
    const most = Math.max(rows.pieces.length, columns.pieces.length);
    const em = parseFloat(getComputedStyle(root).fontSize);
    const height = room ? room().height - TITLES_HEIGHT * em : window.innerHeight * LINES_SHARE;
    const closest = Math.max(CLOSEST * em, matchMedia("(pointer: coarse)").matches ? FINGER : 0);
    pitch = Math.floor(Math.max(closest, Math.min(FARTHEST * em, height / most)));
    root.style.setProperty("--pitch", `${pitch}px`);
    root.style.setProperty("--tallest", String(most));
  }

  return {
    root,
    fit() {
      if (!layout) return;
      fit(layout);
      paint();
    },
    /**
     * @param {NamedStrand[]} strands the chosen one first
     * @param {Selection} selection
     * @param {number} heads of the layer
     */
    update(strands, selection, heads) {
      const { layout: next } = strands[0].view;
      chooser.update(selection, heads);
      fit(next); // before the tokens change: reading styles afterwards would make the browser find theirs twice
      if (layout !== next || isRollout !== (selection.merge === "rollout")) setLayout(next, selection.merge);
      isRollout = selection.merge === "rollout";
      const { strokes, least: weight } = strokesOf(strands);
      shown = { strands, strokes };
      root.dataset.least = weight.toFixed(4);
      least.textContent = t("lines.least", { weight: t.fraction(weight) });
      const row = rowOfStep(next, selection.step);
      [...sides.row.children].forEach((item, place) => item.classList.toggle("hl-at-step", place === row));
      describe("pointer");
      paint();
    },
  };
}

/** @param {Piece} piece */
function pieceElement(piece) {
  const text = tokenText(piece);
  const cut = text.length > SURELY_FIT ? " hl-cut" : "";
  return make("span", { class: `hl-strand-piece${cut}`, title: text }, tokenElement(piece));
}

const sideTitle = () => make("span", { class: "hl-strand-title" });

/** @param {string} label */
const sideList = (label) => make("ol", { class: "hl-strand-side", "aria-label": label });

/** @param {Element} list */
function clearNumbers(list) {
  for (const item of list.children) {
    item.lastElementChild?.replaceChildren();
    item.classList.remove("hl-apart");
  }
}

/** @param {End} end @param {number} opposite place of the token at the other side */
const cellOf = ({ side: at, place }, opposite) =>
  at === "row" ? { row: place, column: opposite } : { row: opposite, column: place };

/** Null where the mask forbids and in a blank row. @param {View} view @param {{row: number, column: number}} cell */
const weightOf = (view, { row, column }) => (view.blank?.[row] ? null : weightAt(view.matrix, row, column));

/** Pixels. @param {Element} list of the tokens of one side */
const widestNumbers = (list) =>
  Math.max(0, ...[...list.querySelectorAll(".hl-strand-numbers:not(:empty)")].map((node) => node.clientWidth));

/**
 * What the lines of a token say.
 * @param {Layout} layout @param {End} end @param {boolean} isRollout
 * @returns {{key: string, pieces: Record<string, Piece>}}
 */
function sentenceOf({ rows, columns, outputs }, { side: at, place }, isRollout) {
  const rest = isRollout ? ".rollout" : "";
  if (at === "column") return { key: `lines.looked_at${rest}`, pieces: { column: columns.pieces[place] } };
  if (!outputs) return { key: `lines.looks${rest}`, pieces: { row: rows.pieces[place] } };
  return { key: `lines.written${rest}`, pieces: { row: rows.pieces[place], output: outputs[place] } };
}
