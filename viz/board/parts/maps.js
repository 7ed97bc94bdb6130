/** The choice between the three kinds of attention, and the sentence on how to read the chosen one. */

import { KINDS } from "../data/decode.js";
import { createChoice } from "../draw/choice.js";
import { make } from "../draw/dom.js";

/** @typedef {import("../data/decode.js").Kind} Kind */

/** @param {import("../draw/text.js").Wording} t @param {(map: Kind) => void} onChoose */
export function createMapChooser(t, onChoose) {
  const choice = createChoice(
    { name: "map", label: t("map.choice"), values: KINDS, words: (kind) => t(`map.${kind}`) }, onChoose);
  const reading = make("p", { class: "hl-reading" });

  return {
    root: make("div", { class: "hl-maps" }, choice.root, reading),
    /** @param {Kind} map */
    update(map) {
      choice.update(map);
      reading.textContent = t(`map.${map}.reading`);
    },
  };
}
