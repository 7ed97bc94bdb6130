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
 * @typedef {{view: string, element: HTMLElement, props: {value: string}, watch: (prop: string, call: () => void) => void}} Place
 */

/** @param {Record<string, Record<string, string>>} texts */
export function start(texts) {
  if (globalThis.headlight) return;
  const language = pickLanguage(navigator.language, Object.keys(texts));
  const t = wording(texts[language], language);
  const store = createStore();

  /** `watch` tells of updates from the server only, so what is there at the start is shown at once. */
  const follow = ({ props, watch }, show) => {
    const changed = () => show(props.value ?? "");
    watch("value", changed);
    changed();
  };
  const subscribe = (element, update) => {
    const stop = store.subscribe(() => (element.isConnected ? update() : stop()));
  };
  const views = {
    result(place) {
      subscribe(place.element, mountResult(place.element, store, t));
      follow(place, (json) => json && store.load(decodeTrace(json)));
    },
    attention: ({ element }) => subscribe(element, mountAttention(element, store, t)),
    masks: (place) => {
      const show = mountMasks(place.element, t);
      follow(place, (json) => json && show(json));
    },
    notice: (place) => follow(place, mountNotice(place.element, t)),
  };

  globalThis.headlight = {
    language,
    selection: store.selection,
    select: store.select,
    /** What to ask the server for to get the trace that is shown; null before there is one. */
    request() {
      const trace = store.trace();
      return trace && { text: trace.sourceText, target: trace.target, beam_size: trace.beamSize };
    },
  };
  /** @param {Place} place */
  const mount = (place) => views[place.view](place);
  const early = globalThis.headlightMounts ?? [];
  globalThis.headlightMounts = { push: mount };
  early.forEach(mount);
}
