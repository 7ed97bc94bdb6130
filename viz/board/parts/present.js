/**
 * Presenting: a page in large type over the other one, which is taken out of sight, out of the tab order and out of a
 * screen reader's reach. What it shows follows the selection of the page, and its keys are those that clickers send.
 */

import { KINDS } from "../data/decode.js";
import { headAt, headBeside, mapBeside } from "../data/tour.js";
import { make } from "../draw/dom.js";
import { shortcutOf } from "../draw/shortcut.js";
import { createAddress } from "./address.js";
import { createPresentBar } from "./present_bar.js";
import { createSlide } from "./slide.js";

/** @typedef {import("./present_bar.js").Act} Act */
/** @typedef {import("../data/store.js").Selection} Selection */

/** @type {Record<string, Act>} clickers send page keys or arrows, and "." or "b" for a black screen */
const KEYS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next",
  ArrowLeft: "previous", ArrowUp: "previous", PageUp: "previous",
  Home: "first", End: "last", 1: "encoder_self", 2: "decoder_self", 3: "cross",
  z: "freeze", b: "black", ".": "black", f: "full", Escape: "leave", p: "leave",
};
const OPEN_KEY = "p";
/** These turn something on and off: held down, they would flicker. @type {Act[]} */
const SWITCHES = ["freeze", "black", "full", "leave"];

/**
 * @param {import("../data/store.js").Store} store
 * @param {import("../draw/text.js").Wording} t
 * @param {() => string | null} fragment of the address that shows the same, with its "#"; null where there is none
 * @returns {{button: HTMLElement, open: () => void}} the button opens it too, and so does a key
 */
export function createPresenter(store, t, fragment) {
  const slide = createSlide(store, t);
  const bar = createPresentBar(t, act);
  const { root } = slide;
  root.append(bar.root);
  const address = createAddress(fragment);
  const named = { type: "button", class: "hl-button", title: t("present.hint"), "data-present": "" };
  const button = make("button", named, t("present.open"));
  button.addEventListener("click", open);
  document.addEventListener("keydown", onKey, { capture: true });
  let isFrozen = false;
  /** @type {(() => void) | null} takes the page back to where it was; null while it is not presented */
  let leave = null;

  function open() {
    if (leave || !store.trace()) return;
    const { activeElement: focused } = document;
    const { scrollX, scrollY } = window;
    const stop = store.subscribe(() => {
      bar.say("");
      slide.update();
      address.follow();
    });
    address.enter();
    document.body.append(root);
    document.body.classList.add("hl-presenting");
    root.focus();
    slide.update();
    address.follow();
    leave = () => {
      leave = null;
      stop();
      address.leave();
      freeze(false);
      black(false);
      document.body.classList.remove("hl-presenting");
      root.remove();
      if (document.fullscreenElement) document.exitFullscreen();
      window.dispatchEvent(new Event("resize")); // the page took no notice of the window while it was out of sight
      window.scrollTo(scrollX, scrollY);
      if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    };
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const key = shortcutOf(event);
    if (key === null) return leave === null ? undefined : enterCells(event);
    if (!leave) {
      if (key === OPEN_KEY && !event.repeat) open();
      return;
    }
    const meant = KEYS[key];
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || !SWITCHES.includes(meant)) act(meant);
  }

  /** Shift with an arrow moves through the cells, from wherever the focus was. @param {KeyboardEvent} event */
  function enterCells(event) {
    const cells = /** @type {HTMLElement | null} */ (root.querySelector("canvas[tabindex]"));
    if (event.shiftKey && event.key.startsWith("Arrow") && cells && event.target !== cells) cells.focus();
  }

  /** @param {Act} meant */
  function act(meant) {
    if (meant === "leave") leave?.();
    else if (meant === "freeze") freeze(!isFrozen);
    else if (meant === "full") fill();
    else if (meant === "black") black(!root.classList.contains("hl-black"));
    else choose(meant);
  }

  /** @param {Act} meant */
  function choose(meant) {
    const trace = store.trace();
    if (!trace) return;
    const selection = store.selection();
    const { map } = selection;
    black(false);
    if (meant === "next") store.select(headBeside(trace, selection, 1));
    if (meant === "previous") store.select(headBeside(trace, selection, -1));
    if (meant === "first") store.select(headAt(trace, map, 0));
    if (meant === "last") store.select(headAt(trace, map, -1));
    if (meant === "map") store.select({ map: mapBeside(map, 1) });
    const chosen = KINDS.find((kind) => kind === meant);
    if (chosen) store.select({ map: chosen });
  }

  /** @param {boolean} held */
  function freeze(held) {
    if (held === isFrozen) return;
    isFrozen = held;
    slide.freeze(held);
    bar.freeze(held);
    slide.say(t(held ? "present.frozen" : "present.moving"));
  }

  /** @param {boolean} dark */
  function black(dark) {
    if (dark === root.classList.contains("hl-black")) return;
    root.classList.toggle("hl-black", dark);
    if (dark) root.focus();
    slide.say(t(dark ? "present.is_black" : "present.is_back"));
  }

  root.addEventListener("click", () => black(false), { capture: true });

  async function fill() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await document.documentElement.requestFullscreen();
    } catch {
      bar.say(t("present.no_full_screen"));
    }
  }

  return { button, open };
}
