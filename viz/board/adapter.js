/** The board inside Gradio: the only module that knows of it. Also the page's own interface, `window.headlight`. */

import { mountAttention } from "./parts/attention.js";
import { mountResult } from "./parts/chips.js";
import { decodeTrace } from "./data/decode.js";
import { mountMasks } from "./parts/masks.js";
import { mountNotice } from "./parts/notice.js";
import { createStore } from "./data/store.js";
import { pickLanguage, wording } from "./draw/text.js";

/**
 * A place as component.py queues it: Gradio's element, its props, and its way to tell of changes.
 * @typedef {object} Place
 * @property {"result" | "attention" | "masks" | "notice"} view
 * @property {HTMLElement} element
 * @property {{value: string}} props
 * @property {(prop: string, call: () => void) => void} watch
 */

/** What the page's other scripts reach: the queue of places, and the page's own interface. */
/** @typedef {{headlight?: object, headlightMounts?: Place[] | {push: (place: Place) => void}}} World */
const world = /** @type {World} */ (globalThis);

/** @param {Record<string, Record<string, string>>} texts */
export function start(texts) {
  if (world.headlight) return;
  const language = pickLanguage(navigator.language, Object.keys(texts));
  const t = wording(texts[language], language);
  const store = createStore();

  /**
   * `watch` tells of updates from the server only, so what is there at the start is shown at once.
   * @param {Place} place @param {(json: string) => void} show
   */
  const follow = ({ props, watch }, show) => {
    const changed = () => show(props.value ?? "");
    watch("value", changed);
    changed();
  };
  /** @param {HTMLElement} element @param {() => void} update */
  const subscribe = (element, update) => {
    const stop = store.subscribe(() => (element.isConnected ? update() : stop()));
  };
  /** @type {Record<Place["view"], (place: Place) => void>} */
  const views = {
    result(place) {
      subscribe(place.element, mountResult(place.element, store, t));
      follow(place, (json) => {
        if (json) store.load(decodeTrace(json));
      });
    },
    attention: ({ element }) => subscribe(element, mountAttention(element, store, t)),
    masks: (place) => {
      const show = mountMasks(place.element, t);
      follow(place, (json) => {
        if (json) show(json);
      });
    },
    notice: (place) => follow(place, mountNotice(place.element, t)),
  };

  world.headlight = {
    language,
    selection: store.selection,
    select: store.select,
    /** What to ask the server for to get the trace that is shown; null before there is one. */
    request() {
      const trace = store.trace();
      if (!trace) return null;
      return { text: trace.sourceText, target: trace.target, beam_size: trace.beamSize, forced: trace.forcedText };
    },
  };
  /** @param {Place} place */
  const mount = (place) => views[place.view](place);
  const early = /** @type {Place[]} */ (world.headlightMounts ?? []);
  world.headlightMounts = { push: mount };
  early.forEach(mount);
}
