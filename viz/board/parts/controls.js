/** What the large picture shows, and how: heads merged or not; heatmap, lines or table; pieces or words; the scale. */

import { CHOICES } from "../data/store.js";
import { createChoice } from "../draw/choice.js";
import { make } from "../draw/dom.js";

/** @typedef {import("../data/store.js").Selection} Selection */

/** Those whose buttons do not say themselves what is chosen. */
const CAPTIONED = ["special", "scale"];

/** @param {import("../draw/text.js").Wording} t @param {(change: Partial<Selection>) => void} onChoose */
export function createControls(t, onChoose) {
  const named = { "aria-label": t("merge.choice"), "data-merge-choice": "" };
  const merge = /** @type {HTMLSelectElement} */ (make("select", named,
    ...CHOICES.merge.map((value) => make("option", { value }, t(`merge.${value}`)))));
  merge.addEventListener("change", () => onChoose({ merge: /** @type {Selection["merge"]} */ (merge.value) }));

  const choice = (/** @type {"view" | "units" | "special" | "scale"} */ name) => createChoice({
    name,
    label: t(`${name}.choice`),
    caption: CAPTIONED.includes(name) ? t(`${name}.caption`) : undefined,
    values: CHOICES[name],
    words: (value) => t(`${name}.${value}`),
  }, (value) => onChoose({ [name]: value }));
  const [view, units, special, scale] = [choice("view"), choice("units"), choice("special"), choice("scale")];

  return {
    root: make("div", { class: "hl-controls" }, view.root, merge, units.root, special.root, scale.root),
    /** @param {Selection} selection */
    update(selection) {
      merge.value = selection.merge;
      view.update(selection.view);
      units.update(selection.units);
      special.update(selection.special);
      scale.update(selection.scale);
    },
  };
}
