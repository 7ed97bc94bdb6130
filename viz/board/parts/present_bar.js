/** The line at the foot of a presentation: its keys, which are buttons for those who have none. */

import { make } from "../draw/dom.js";

/**
 * What a key may do.
 * @typedef {"next" | "previous" | "first" | "last" | "encoder_self" | "decoder_self" | "cross" | "map" | "freeze"
 *   | "black" | "full" | "leave"} Act
 */

/** @type {{act: Act, key: string}[]} with the key as it is written */
const BUTTONS = [
  { act: "previous", key: "←" },
  { act: "next", key: "→" },
  { act: "map", key: "1 2 3" },
  { act: "freeze", key: "Z" },
  { act: "black", key: "B" },
  { act: "full", key: "F" },
  { act: "leave", key: "Esc" },
];

/** @param {import("../draw/text.js").Wording} t @param {(act: Act) => void} onAct */
export function createPresentBar(t, onAct) {
  const said = make("span", { class: "hl-present-said", role: "status" });
  const buttons = BUTTONS.map(({ act, key }) => {
    const node = make("button", { type: "button", class: "hl-present-key", "data-act": act },
      make("kbd", { "aria-hidden": true }, key), ` ${t(`present.${act}`)}`);
    node.addEventListener("click", () => onAct(act));
    return node;
  });
  const freeze = buttons[BUTTONS.findIndex(({ act }) => act === "freeze")];
  freeze.setAttribute("aria-pressed", "false");

  return {
    root: make("div", { class: "hl-present-bar" }, ...buttons, said),
    /** @param {boolean} held */
    freeze: (held) => freeze.setAttribute("aria-pressed", String(held)),
    /** @param {string} sentence */
    say(sentence) {
      said.textContent = sentence;
    },
  };
}
