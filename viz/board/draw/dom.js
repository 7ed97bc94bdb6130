/** Making elements. Text goes in as text nodes only, so nothing that a visitor typed can become markup. */

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean>} attributes false leaves an attribute out
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/**
 * Of the things that arrow keys move in, only one is in the tab order.
 * @param {HTMLElement[]} nodes @param {HTMLElement} node
 */
export function rove(nodes, node) {
  for (const each of nodes) each.tabIndex = each === node ? 0 : -1;
}

/** The steps that an arrow key means, as [rows, columns]. @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Where a key leads from a place in a table; null for a key that leads nowhere.
 * @param {KeyboardEvent} event
 * @param {{row: number, column: number}} from
 * @param {{rows: number, columns: number}} size
 * @returns {{row: number, column: number} | null}
 */
export function movedByKey(event, from, size) {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  if (event.key === "Home") return { row: from.row, column: 0 };
  if (event.key === "End") return { row: from.row, column: size.columns - 1 };
  const step = ARROWS[event.key];
  if (!step) return null;
  const within = (/** @type {number} */ value, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, value));
  return { row: within(from.row + step[0], size.rows), column: within(from.column + step[1], size.columns) };
}
