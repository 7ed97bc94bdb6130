/** What kind of head each head of the map is: a few numbers a head, in a table that can be sorted. */

import { make } from "../draw/dom.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../draw/text.js").Wording} Wording */

const MEASURES = /** @type {const} */ (["entropy", "special", "diagonal", "previous", "next", "alignment"]);
/** @typedef {typeof MEASURES[number]} Measure */

/** One row. @typedef {{layer: number, head: number, numbers: Partial<Record<Measure, number>>}} HeadNumbers */

/**
 * Heads in their order, with those measures that have a meaning in this map.
 * @param {Trace} trace @param {Selection["map"]} map
 * @returns {{measures: Measure[], rows: HeadNumbers[]}}
 */
function numbersOf(trace, map) {
  const found = trace.diagnostics[map];
  const measures = MEASURES.filter((measure) => found[measure] !== null);
  const { layers, heads } = trace.maps[map];
  const rows = Array.from({ length: layers * heads }, (_, i) => {
    const [layer, head] = [Math.floor(i / heads), i % heads];
    const numbers = Object.fromEntries(measures.map((measure) => [measure, found[measure]?.[layer][head]]));
    return { layer, head, numbers };
  });
  return { measures, rows };
}

/** @param {Wording} t @param {(change: Partial<Selection>) => void} onChoose */
export function createDiagnostics(t, onChoose) {
  const head = make("thead");
  const body = /** @type {HTMLTableSectionElement} */ (make("tbody"));
  const caption = make("caption", { class: "hl-unseen" }, t("diagnostics.caption"));
  const table = make("div", { class: "hl-table-scroll" }, make("table", { class: "hl-table" }, caption, head, body));
  const meanings = make("dl", { class: "hl-meanings" });
  const toAligned = make("button", { type: "button", class: "hl-option" }, t("diagnostics.to_aligned"));
  const root = /** @type {HTMLDetailsElement} */ (make("details", { class: "hl-diagnostics" },
    make("summary", {}, t("diagnostics.title")), toAligned, table, meanings));
  /** @type {{trace: Trace, selection: Selection} | null} */
  let latest = null;
  /** @type {{trace: Trace, map: string, order: string} | null} */
  let filled = null;
  /** @type {{by: Measure | null, descending: boolean}} null: layers and heads in their order */
  let order = { by: null, descending: false };

  toAligned.addEventListener("click", () => {
    const aligned = latest?.trace.alignmentHead;
    if (aligned) onChoose({ map: "cross", layer: aligned.layer, head: aligned.head, merge: "head" });
  });
  root.addEventListener("toggle", show);

  /** Anew by another column largest first, by the same one the other way round. @param {Measure | null} by */
  function sortBy(by) {
    order = { by, descending: order.by === by ? !order.descending : by !== null };
    show();
  }

  /** @param {Measure | null} measure @param {string} words */
  function columnHead(measure, words) {
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", () => sortBy(measure));
    const sorted = order.by === measure && (order.descending ? "descending" : "ascending");
    return make("th", { scope: "col", "aria-sort": sorted || "none", "data-sort": measure ?? "head" }, button);
  }

  /** @param {HeadNumbers} numbers @param {Measure[]} measures */
  function row({ layer, head: number, numbers }, measures) {
    const button = make("button", { type: "button" }, t("head.name", { layer: layer + 1, head: number + 1 }));
    const cells = measures.map((measure) => make("td", {}, t.fraction(numbers[measure] ?? 0)));
    const node = make("tr", { "data-head": `${layer}.${number}` }, make("th", { scope: "row" }, button), ...cells);
    node.addEventListener("click", () => onChoose({ layer, head: number, merge: "head" }));
    return node;
  }

  /** @param {Trace} trace @param {Selection["map"]} map */
  function fill(trace, map) {
    const { measures, rows } = numbersOf(trace, map);
    const { by, descending } = order;
    const isSortable = by === null || measures.includes(by); // another map may have had the measure
    if (by && isSortable) rows.sort((one, other) => (one.numbers[by] ?? 0) - (other.numbers[by] ?? 0));
    if (descending && isSortable) rows.reverse();
    const names = measures.map((measure) => columnHead(measure, t(`diagnostics.${measure}`)));
    const focused = head.contains(document.activeElement) && document.activeElement?.closest("th")?.dataset.sort;
    head.replaceChildren(make("tr", {}, columnHead(null, t("diagnostics.head")), ...names));
    body.replaceChildren(...rows.map((each) => row(each, measures)));
    if (focused) /** @type {HTMLElement | null} */ (head.querySelector(`[data-sort="${focused}"] button`))?.focus();
    meanings.replaceChildren(...measures.flatMap((measure) => [
      make("dt", {}, t(`diagnostics.${measure}`)), make("dd", {}, t(`diagnostics.${measure}.meaning`))]));
  }

  /** Nothing is made while the table is folded. */
  function show() {
    if (!latest || !root.open) return;
    const { trace, selection: { map, layer, head: chosen, merge } } = latest;
    const sorted = JSON.stringify(order);
    if (filled?.trace !== trace || filled.map !== map || filled.order !== sorted) fill(trace, map);
    filled = { trace, map, order: sorted };
    for (const each of body.rows) {
      const isChosen = merge === "head" && each.dataset.head === `${layer}.${chosen}`;
      if (isChosen) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
  }

  return {
    root,
    /** @param {Trace} trace @param {Selection} selection */
    update(trace, selection) {
      latest = { trace, selection };
      toAligned.hidden = trace.alignmentHead === null;
      show();
    },
  };
}
