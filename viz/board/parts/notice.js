/** What the visitor must be told, in the page's language. */

import { make } from "../draw/dom.js";

/**
 * @typedef {{level: string, messages: {key: string, values?: Record<string, string | number>}[]}} Notice
 */

/**
 * @param {HTMLElement} place
 * @param {import("../draw/text.js").Wording} t
 * @returns {(json: string) => void} shows another notice; "" takes it away
 */
export function mountNotice(place, t) {
  const root = make("div", { class: "hl hl-notice", "aria-live": "polite" });
  place.replaceChildren(root);

  return (json) => {
    /** @type {Notice} */
    const { level, messages } = json ? JSON.parse(json) : { level: "", messages: [] };
    root.dataset.level = level;
    root.replaceChildren(...messages.map(({ key, values }) => make("p", {}, t(key, values))));
  };
}
