/** The button that copies a link to what is shown, and a field to copy it from by hand where the browser refuses. */

import { make } from "../draw/dom.js";

/** Characters from which on some programs cut an address that is passed on. */
const LONG_ADDRESS = 2000;

/**
 * @param {() => string} link
 * @param {import("../draw/text.js").Wording} t
 * @returns {{root: HTMLElement, update: () => void}} `update` takes back what was said of a link that is no longer true
 */
export function createShare(link, t) {
  const button = make("button", { type: "button", class: "hl-button", "data-copy-link": "" }, t("link.copy"));
  const said = make("span", { class: "hl-share-said", role: "status" });
  const field = /** @type {HTMLInputElement} */ (
    make("input", { type: "text", readonly: "", hidden: "", class: "hl-share-field", "aria-label": t("link.field") }));

  /** @param {string} address */
  function offer(address) {
    field.value = address;
    field.hidden = false;
    field.focus();
    field.select();
    said.textContent = t("link.by_hand");
  }

  async function copy() {
    const address = link();
    field.hidden = true;
    try {
      await navigator.clipboard.writeText(address);
      const count = t.number(address.length);
      said.textContent = address.length > LONG_ADDRESS ? t("link.copied_long", { count }) : t("link.copied");
    } catch {
      offer(address);
    }
  }

  button.addEventListener("click", copy);
  return {
    root: make("div", { class: "hl-share" }, said, field, button),
    update() {
      said.textContent = "";
      field.hidden = true;
    },
  };
}
