/** What the colours mean. */

import { gradient } from "./colors.js";
import { make } from "./dom.js";

/** @param {import("./text.js").Wording} t */
export function createLegend(t) {
  const bar = make("span", { class: "hl-legend-bar" });
  bar.style.backgroundImage = gradient("to right");
  const scale = make("span", { class: "hl-legend-scale" });
  const forbidden = swatch("", t("legend.forbidden"));
  const blank = swatch("hl-swatch-blank", t("legend.blank"));
  const stretched = make("span", { class: "hl-legend-stretched" });
  const root = make("div", { class: "hl-legend" },
    make("span", { class: "hl-legend-name" }, t("legend.weight")),
    make("span", { class: "hl-legend-body" }, bar, scale),
    forbidden, blank, stretched);

  return {
    root,
    /**
     * @param {Pick<import("../data/view.js").View, "matrix" | "scale">} view the large picture's
     * @param {boolean} isStretched
     * @param {boolean} hasBlanks whether any picture has a blank row
     */
    update(view, isStretched, hasBlanks) {
      const words = isStretched ? [t.fraction(view.scale / 2), t.fraction(view.scale)] : [t.number(0.5), t.number(1)];
      scale.replaceChildren(...[t.number(0), ...words].map((each) => make("span", {}, each)));
      root.dataset.maximum = String(view.scale);
      forbidden.hidden = !view.matrix.allowed;
      blank.hidden = !hasBlanks;
      stretched.textContent = isStretched ? t("legend.stretched", { maximum: t.fraction(view.scale) }) : "";
    },
  };
}

/** @param {string} name of the class that draws it @param {string} words */
export function swatch(name, words) {
  return make("span", { class: "hl-legend-entry" }, make("span", { class: `hl-swatch ${name}` }), words);
}
