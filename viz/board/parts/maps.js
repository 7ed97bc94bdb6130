/** The choice between the three kinds of attention, and the sentence on how to read the chosen one. */

import { make, movedByKey } from "../draw/dom.js";

const KINDS = ["encoder_self", "decoder_self", "cross"];

/** @param {(map: string) => void} onChoose */
export function createMapChooser(t, onChoose) {
  const buttons = KINDS.map((kind) =>
    make("button", { type: "button", role: "radio", class: "hl-map", "data-map-button": kind }, t(`map.${kind}`)));
  const group = make("div", { class: "hl-maps", role: "radiogroup", "aria-label": t("map.choice") }, ...buttons);
  const reading = make("p", { class: "hl-reading" });

  buttons.forEach((button, i) => {
    button.addEventListener("click", () => onChoose(KINDS[i]));
    button.addEventListener("keydown", (event) => {
      const next = movedByKey(event, { row: i, column: i }, { rows: KINDS.length, columns: KINDS.length });
      if (!next) return;
      event.preventDefault();
      const place = next.column === i ? next.row : next.column;
      onChoose(KINDS[place]);
      buttons[place].focus();
    });
  });

  return {
    nodes: [group, reading],
    /** @param {string} map */
    update(map) {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-checked", String(KINDS[i] === map));
        button.tabIndex = KINDS[i] === map ? 0 : -1;
      });
      reading.textContent = t(`map.${map}.reading`);
    },
  };
}
