/** Which heads of the layer are drawn as lines: a button a head, in the colour of its lines. */

import { make } from "../draw/dom.js";
import { headColor } from "../draw/strokes.js";

/** @typedef {import("../data/store.js").Selection} Selection */

/**
 * One head more or less. There is always a chosen one: where it is taken away, the first of the others takes its place,
 * and the last one stays.
 * @param {Selection} selection @param {number} head @returns {Partial<Selection>}
 */
function toggled({ head: chosen, lines }, head) {
  const others = lines.filter((each) => each !== chosen);
  if (others.includes(head)) return { lines: others.filter((each) => each !== head) };
  if (head !== chosen) return { lines: [...others, head] };
  const [next, ...rest] = others.toSorted((one, other) => one - other);
  return next === undefined ? {} : { head: next, lines: rest };
}

/** @param {import("../draw/text.js").Wording} t @param {(change: Partial<Selection>) => void} onChoose */
export function createStrandChooser(t, onChoose) {
  const root = make("div", { class: "hl-strand-heads", role: "group", "aria-label": t("lines.heads") });
  /** @type {Selection | null} */
  let selected = null;

  /** @param {number} heads */
  function build(heads) {
    const all = button(t("lines.all"), () => onChoose({ lines: Array.from({ length: heads }, (_, head) => head) }));
    const one = button(t("lines.one"), () => onChoose({ lines: [] }));
    all.dataset.lines = "all";
    one.dataset.lines = "one";
    root.replaceChildren(...Array.from({ length: heads }, (_, head) => headButton(head)), all, one);
  }

  /** @param {string} words @param {() => void} act */
  function button(words, act) {
    const node = make("button", { type: "button", class: "hl-option" }, words);
    node.addEventListener("click", act);
    return node;
  }

  /** @param {number} head */
  function headButton(head) {
    const node = button(String(head + 1), () => selected && onChoose(toggled(selected, head)));
    node.setAttribute("aria-label", t("grid.head", { head: head + 1 }));
    node.dataset.strand = String(head);
    node.style.setProperty("--strand", headColor(head));
    return node;
  }

  return {
    root,
    /** @param {Selection} selection @param {number} heads of a layer */
    update(selection, heads) {
      selected = selection;
      root.hidden = selection.merge !== "head";
      if (root.childElementCount !== heads + 2) build(heads);
      for (const node of /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-strand]")])) {
        const head = Number(node.dataset.strand);
        node.setAttribute("aria-pressed", String(head === selection.head || selection.lines.includes(head)));
      }
    },
  };
}
