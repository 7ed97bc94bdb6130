/** One of a few, as a row of buttons: a radio group in which arrow keys move. */

import { make, movedByKey } from "./dom.js";

/**
 * @template {string} Value
 * @param {object} asked
 * @param {string} asked.name buttons carry their value as `data-NAME-button`
 * @param {string} asked.label what is chosen, for screen readers
 * @param {string} [asked.caption] the same in a word beside the buttons, where these do not say it themselves
 * @param {Value[]} asked.values
 * @param {(value: Value) => string} asked.words on the button of a value
 * @param {(value: Value) => void} onChoose
 */
export function createChoice({ name, label, caption, values, words }, onChoose) {
  const attributes = { type: "button", role: "radio", class: "hl-option" };
  const buttons = values.map((value) => 
    make("button", { ...attributes, [`data-${name}-button`]: value }, words(value)));
  const group = make("div", { class: "hl-options", role: "radiogroup", "aria-label": label }, ...buttons);
  const captions = caption ? [make("span", { class: "hl-choice-name", "aria-hidden": true }, caption)] : [];
  const root = make("div", { class: `hl-choice hl-choice-${name}` }, ...captions, group);

  buttons.forEach((button, i) => {
    button.addEventListener("click", () => onChoose(values[i]));
    button.addEventListener("keydown", (event) => {
      const next = movedByKey(event, { row: i, column: i }, { rows: values.length, columns: values.length });
      if (!next) return;
      event.preventDefault();
      const place = next.column === i ? next.row : next.column;
      onChoose(values[place]);
      buttons[place].focus();
    });
  });

  return {
    root,
    /** @param {Value} value */
    update(value) {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-checked", String(values[i] === value));
        button.tabIndex = values[i] === value ? 0 : -1;
      });
    },
  };
}
