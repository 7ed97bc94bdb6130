/** What the colours mean. */

import { gradient } from "./colors.js";
import { make } from "./dom.js";

/** @param {import("./text.js").Wording} t */
export function createLegend(t) {
  const bar = make("span", { class: "hl-legend-bar" });
  bar.style.backgroundImage = gradient("to right");
  const scale = make("span", { class: "hl-legend-scale" });
  const blank = swatch("hl-swatch-blank", t("legend.blank"));
  const stretched = make("span", { class: "hl-legend-stretched" });
  const root = make("div", { class: "hl-legend" },
    make("span", { class: "hl-legend-name" }, t("legend.weight")),
    make("span", { class: "hl-legend-body" }, bar, scale),
    swatch("", t("legend.forbidden")), blank, stretched);

  return {
    root,
    /** @param {import("../data/view.js").View} view @param {boolean} isStretched */
    update(view, isStretched) {
      const words = isStretched ? t.fraction : t.number;
      scale.replaceChildren(...[0, 0.5, 1].map((part) => make("span", {}, part ? words(part * view.scale) : t.number(0))));
      root.dataset.maximum = String(view.scale);
      blank.hidden = !view.blank?.includes(1);
      stretched.textContent = isStretched ? t("legend.stretched", { maximum: t.fraction(view.scale) }) : "";
    },
  };
}

/** @param {string} name of the class that draws it @param {string} words */
export function swatch(name, words) {
  return make("span", { class: "hl-legend-entry" }, make("span", { class: `hl-swatch ${name}` }), words);
}
