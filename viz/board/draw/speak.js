/** What screen readers are told of a place that keys reached. */

import { make } from "./dom.js";

/** Milliseconds of rest before it is spoken, so that holding a key does not chatter. */
const SPEAK_AFTER = 300;

export function createSpeaker() {
  const root = make("div", { class: "hl-unseen", "aria-live": "polite" });
  let timer = 0;
  return {
    root,
    hush: () => clearTimeout(timer),
    /** @param {string} sentence in place of one that still waits */
    say(sentence) {
      clearTimeout(timer);
      timer = setTimeout(() => (root.textContent = sentence), SPEAK_AFTER);
    },
  };
}
