/**
 * One matrix with its tokens on both axes, a cross-hair and a cell that pointer and arrow keys choose.
 * It knows where a cell is, not what it means: its owner paints the canvas and words the cell.
 */

import { SPACE } from "../data/layout.js";
import { make, movedByKey } from "./dom.js";
import { createScroller } from "./scroll.js";
import { tokenElement, tokenText } from "./token.js";

/** Pixels a cell: below, no label could be read, so the plot scrolls. */
const SMALLEST = 14;
/** A cell in type sizes: above, it is crude. */
const LARGEST = 6.6;
/** Part of the window's height that a plot may take, and the least it takes. */
const HEIGHT_SHARE = 0.72;
const LEAST_HEIGHT = 260;
/** Pixels left free beside a label that lies flat over its column. */
const FLAT_MARGIN = 6;
/** Labels are cut beyond so many times the type size, or beyond this part of the width. */
const LABEL_LIMIT = 8;
const LABEL_SHARE = 0.23;
/** In type sizes: the type of titles, notes' width, the height of the title over the columns and of flat labels. */
const TITLE_TYPE = 0.78;
const NOTE_WIDTH = 4.2;
const TITLE_HEIGHT = 1.5;
const FLAT_HEIGHT = 2;

const SIDES = /** @type {const} */ (["row", "column", "output", "note"]);

/** @typedef {import("../data/layout.js").Piece} Piece */
/** @typedef {{row: number, column: number}} Cell */
/** Pixels that a picture may take. @typedef {{width: number, height: number}} Room */

/**
 * @typedef {object} Axes
 * @property {Piece[]} rows
 * @property {Piece[]} columns
 * @property {Piece[] | null} outputs what each row's step wrote, shown at its right
 * @property {boolean} noted whether each row has a note, at its end
 * @property {{row: string, column: string, output: string, note: string}} titles
 */

/**
 * @param {object} callbacks
 * @param {(cell: Cell | null, by: "pointer" | "keys") => void} callbacks.onCell
 * @param {() => Room} [callbacks.room] by default that on the page of what holds the plot
 */
export function createPlot({ onCell, room }) {
  const canvas = /** @type {HTMLCanvasElement} */ (make("canvas", { tabindex: 0, role: "application" }));
  const rowBand = make("div", { class: "hl-band hl-row-band", hidden: "" });
  const columnBand = make("div", { class: "hl-band hl-column-band", hidden: "" });
  const stepBand = make("div", { class: "hl-step-band", hidden: "" });
  const spot = make("div", { class: "hl-spot", hidden: "" });
  const lines = make("div", { class: "hl-lines" });
  const cells = make("div", { class: "hl-cells" }, canvas, lines, stepBand, rowBand, columnBand, spot);
  const rowLabels = make("div", { class: "hl-labels hl-row-labels", "aria-hidden": true });
  const columnLabels = make("div", { class: "hl-labels hl-column-labels", "aria-hidden": true });
  const outputLabels = make("div", { class: "hl-labels hl-output-labels", "aria-hidden": true });
  const noteLabels = make("div", { class: "hl-labels hl-note-labels", "aria-hidden": true });
  const titles = {
    row: make("span", { class: "hl-row-title" }),
    column: make("span", { class: "hl-column-title" }),
    output: make("span", { class: "hl-output-title" }),
    note: make("span", { class: "hl-note-title" }),
  };
  const corner = make("div", { class: "hl-corner" }, titles.row);
  const outputCorner = make("div", { class: "hl-corner hl-output-corner" }, titles.output);
  const noteCorner = make("div", { class: "hl-corner hl-note-corner" }, titles.note);
  const columnHead = make("div", { class: "hl-column-head" }, titles.column, columnLabels);
  const table = make("div", { class: "hl-plot" },
    corner, columnHead, outputCorner, noteCorner, rowLabels, cells, outputLabels, noteLabels);
  const { root, scroller } = createScroller(table);

  /** @type {Axes} */
  let axes = {
    rows: [], columns: [], outputs: null, noted: false, titles: { row: "", column: "", output: "", note: "" },
  };
  /** @type {Cell | null} */
  let current = null;

  /** @param {Axes} next */
  function setAxes(next) {
    axes = next;
    fit(); // before the labels change: reading the layout afterwards would make the browser lay them out twice
    for (const side of SIDES) titles[side].textContent = axes.titles[side];
    fillLabels(rowLabels, axes.rows);
    fillLabels(columnLabels, axes.columns);
    fillLabels(outputLabels, axes.outputs ?? []);
    table.classList.toggle("hl-with-outputs", axes.outputs !== null);
    table.classList.toggle("hl-with-notes", axes.noted);
    root.style.setProperty("--lines", String(axes.rows.length));
    root.style.setProperty("--columns", String(axes.columns.length));
    choose(null, "pointer");
  }

  /**
   * Cells as large as the room allows; column labels lie flat where the longest fits over its cell. Texts are measured,
   * not laid out: with a hundred labels a side, asking the browser for their boxes would take longer than all drawing.
   */
  function fit() {
    const { width, height } = room ? room() : roomOnPage(root.parentElement);
    if (!width || !axes.rows.length || !axes.columns.length) return;
    const style = getComputedStyle(root);
    const em = parseFloat(style.fontSize);
    const longest = longestLabels(axes, style.fontFamily, em);
    const most = Math.min(LABEL_LIMIT * em, LABEL_SHARE * width);
    const side = (/** @type {number} */ length) => Math.min(most, length) + em;
    const rowSide = Math.max(longest.rowTitle + em, side(longest.rows));
    const outputSide = axes.outputs ? Math.max(longest.outputTitle + em, side(longest.outputs)) : 0;
    const noteSide = axes.noted ? Math.max(longest.noteTitle + em, NOTE_WIDTH * em) : 0;
    const high = height - side(longest.columns) - TITLE_HEIGHT * em;
    const wide = width - rowSide - outputSide - noteSide - 4;
    const largest = Math.min(LARGEST * em, wide / axes.columns.length, high / axes.rows.length);
    const cell = Math.floor(Math.max(SMALLEST, largest));

    const flat = longest.columns + FLAT_MARGIN <= cell;
    table.classList.toggle("hl-flat", flat);
    table.classList.toggle("hl-cut", Math.max(longest.rows, longest.columns, longest.outputs) > most);
    const sizes = {
      cell, row: rowSide, output: outputSide, note: noteSide, column: flat ? FLAT_HEIGHT * em : side(longest.columns),
    };
    for (const [name, size] of Object.entries(sizes)) root.style.setProperty(`--${name}-size`, `${Math.ceil(size)}px`);
    const above = sizes.column + TITLE_HEIGHT * em;
    scroller.style.scrollPadding = `${above}px ${sizes.output + sizes.note}px 0 ${sizes.row}px`;
  }

  /** @param {string[]} notes short, one a row */
  function setNotes(notes) {
    noteLabels.replaceChildren(...notes.map((note) => make("span", { class: "hl-label" }, note)));
  }

  /** @param {Cell | null} cell @param {"pointer" | "keys"} by */
  function choose(cell, by) {
    if (cell?.row === current?.row && cell?.column === current?.column) return;
    mark("hl-crossed", false);
    current = cell;
    mark("hl-crossed", true);
    for (const overlay of [rowBand, columnBand, spot]) overlay.hidden = !cell;
    if (cell) {
      cells.style.setProperty("--row", String(cell.row));
      cells.style.setProperty("--column", String(cell.column));
    }
    onCell(cell, by);
  }

  /** @param {string} name of a class @param {boolean} on */
  function mark(name, on) {
    if (!current) return;
    rowLabels.children[current.row]?.classList.toggle(name, on);
    outputLabels.children[current.row]?.classList.toggle(name, on);
    columnLabels.children[current.column]?.classList.toggle(name, on);
  }

  /** @param {number | null} step the row to be marked */
  function setStep(step) {
    stepBand.hidden = step === null;
    cells.style.setProperty("--step", String(step ?? 0));
    for (const labels of [rowLabels, outputLabels]) {
      [...labels.children].forEach((label, row) => label.classList.toggle("hl-at-step", row === step));
    }
  }

  /** @param {PointerEvent} event */
  function pointed(event) {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * axes.rows.length);
    const column = Math.floor(((event.clientX - box.left) / box.width) * axes.columns.length);
    if (row >= 0 && row < axes.rows.length && column >= 0 && column < axes.columns.length) {
      choose({ row, column }, "pointer");
    }
  }

  canvas.addEventListener("pointermove", pointed);
  canvas.addEventListener("pointerdown", pointed);
  canvas.addEventListener("pointerleave", (event) => {
    // A finger leaves as soon as it is lifted: what it pointed at is to stay.
    if (event.pointerType === "mouse" && document.activeElement !== canvas) choose(null, "pointer");
  });
  canvas.addEventListener("focus", () => {
    if (!current && canvas.matches(":focus-visible")) choose({ row: 0, column: 0 }, "keys");
  });
  canvas.addEventListener("blur", () => choose(null, "keys"));
  canvas.addEventListener("keydown", (event) => {
    const size = { rows: axes.rows.length, columns: axes.columns.length };
    const next = movedByKey(event, current ?? { row: 0, column: 0 }, size);
    if (!next) return;
    event.preventDefault();
    choose(next, "keys");
    spot.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  return {
    root, canvas, setAxes, setNotes, fit, setStep,
    /** @param {string} label for screen readers */
    setLabel: (label) => canvas.setAttribute("aria-label", label),
    cell: () => current,
  };
}

/** What a plot may take of a page. @param {Element | null} holder of the plot @returns {Room} */
export function roomOnPage(holder) {
  return { width: holder?.clientWidth ?? 0, height: Math.max(LEAST_HEIGHT, window.innerHeight * HEIGHT_SHARE) };
}

const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/**
 * Pixels that the longest label of each side takes, and the titles over the sides.
 * @param {Axes} axes @param {string} family of the type @param {number} size of it, in pixels
 */
function longestLabels(axes, family, size) {
  ruler.font = `${size}px ${family}`;
  const wide = (/** @type {string} */ text) => ruler.measureText(text).width;
  const shown = (/** @type {Piece} */ piece) => tokenText(piece).replaceAll(SPACE, "_");
  const longest = (/** @type {Piece[]} */ pieces) => Math.max(0, ...pieces.map((piece) => wide(shown(piece))));
  const title = (/** @type {string} */ text) => Math.ceil(wide(`${text} ↓`) * TITLE_TYPE);
  return {
    rows: longest(axes.rows), columns: longest(axes.columns), outputs: longest(axes.outputs ?? []),
    rowTitle: title(axes.titles.row), outputTitle: title(axes.titles.output), noteTitle: title(axes.titles.note),
  };
}

/** @param {HTMLElement} holder @param {Piece[]} pieces */
function fillLabels(holder, pieces) {
  holder.replaceChildren(
    ...pieces.map((piece) => make("span", { class: "hl-label", title: tokenText(piece) }, tokenElement(piece))),
  );
}
