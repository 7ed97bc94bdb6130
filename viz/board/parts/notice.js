/** What the visitor must be told, in the page's language. */

import { make } from "../draw/dom.js";

/**
 * @typedef {{level: string, messages: {key: string, values?: Record<string, string | number>}[]}} Notice
 */

/**
 * @param {HTMLElement} place
 * @param {import("../draw/text.js").Wording} t
 * @returns {(notices: Notice[]) => void} shows these instead of those before
 */
export function mountNotice(place, t) {
  const root = make("div", { class: "hl hl-notice", "aria-live": "polite" });
  place.replaceChildren(root);

  return (notices) => {
    root.replaceChildren(...notices.flatMap(({ level, messages }) =>
      messages.map(({ key, values }) => make("p", { "data-level": level }, t(key, values)))));
  };
}
