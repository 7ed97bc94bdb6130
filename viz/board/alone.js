/** The board in a page of its own, saved as one file: everything that it shows stands in the page. */

import { mountAttention } from "./parts/attention.js";
import { mountResult } from "./parts/chips.js";
import { decodeTrace } from "./data/decode.js";
import { mountMasks } from "./parts/masks.js";
import { createStore } from "./data/store.js";
import { wording } from "./draw/text.js";
import { asksToPresent } from "./parts/address.js";
import { mountSteps } from "./parts/steps.js";
import { createPresenter } from "./parts/present.js";

/** The element that standalone.py has put there. @param {string} id @returns {HTMLElement} */
function placeOf(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page has no place for ${id}`);
  return element;
}

export function openAlone() {
  const { language, texts, selection } = JSON.parse(placeOf("page").textContent ?? "");
  const t = wording(texts, language);
  const store = createStore();
  store.subscribe(mountResult(placeOf("result"), store, t));
  store.subscribe(mountAttention(placeOf("attention"), store, t));
  store.open(decodeTrace(placeOf("trace").textContent ?? ""), selection);
  const presenter = createPresenter(store, t, () => null);
  placeOf("present").append(presenter.button);
  if (asksToPresent()) presenter.open();
  store.subscribe(mountSteps(placeOf("steps"), store, t));
  const showMasks = mountMasks(placeOf("masks"), t);
  // After the heads are on the screen: the masks lie under them.
  requestAnimationFrame(() => setTimeout(() => showMasks(placeOf("panels").textContent ?? "")));
}
