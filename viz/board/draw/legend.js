/** What the colours mean. */

import { gradient } from "./colors.js";
import { make } from "./dom.js";

export function createLegend(t) {
  const bar = make("span", { class: "hl-legend-bar" });
  bar.style.backgroundImage = gradient("to right");
  const scale = make("span", { class: "hl-legend-scale" },
    ...[0, 0.5, 1].map((weight) => make("span", {}, t.number(weight))));
  return make("div", { class: "hl-legend" },
    make("span", { class: "hl-legend-name" }, t("legend.weight")),
    make("span", { class: "hl-legend-body" }, bar, scale),
    make("span", { class: "hl-legend-forbidden" }, make("span", { class: "hl-swatch" }), t("legend.forbidden")));
}
