/**
 * The board inside Gradio: with around.js the only module that knows of it. Also the page's own interface,
 * `window.headlight`.
 */

import { createSkip, nameSurroundings } from "./around.js";
import { mountAttention } from "./parts/attention.js";
import { mountResult } from "./parts/chips.js";
import { decodeTrace } from "./data/decode.js";
import { make } from "./draw/dom.js";
import { requestOf, writeLink } from "./data/link.js";
import { mountMasks } from "./parts/masks.js";
import { mountNotice } from "./parts/notice.js";
import { createOpening } from "./parts/opening.js";
import { createPresenter } from "./parts/present.js";
import { asksToPresent } from "./parts/address.js";
import { createShare } from "./parts/share.js";
import { mountSteps } from "./parts/steps.js";
import { CHOICES, createStore } from "./data/store.js";
import { pickLanguage, wording } from "./draw/text.js";

/** @typedef {import("./data/link.js").Request} Request */
/** @typedef {import("./data/store.js").Selection} Selection */
/** @typedef {import("./parts/notice.js").Notice} Notice */

/**
 * A component as component.py queues it: Gradio's element, its props, and its way to tell of changes.
 * @typedef {object} Component
 * @property {"skip" | "result" | "attention" | "steps" | "masks" | "notice" | "tools"} view
 * @property {HTMLElement} element
 * @property {{value: string | null}} props
 * @property {(prop: string, call: () => void) => void} watch
 */

/**
 * A component, or the question which translation the address asks for (viz/tabs/link.py); null: none.
 * @typedef {Component | {view: "link", answer: (request: Partial<Request> | null) => void}} Place
 */

/**
 * What other parts of the page, tests and the curious may call. `request` gives what the server is to be asked for to
 * get the trace that is shown, `link` the address that shows the same; null before there is a trace.
 * @typedef {{language: string, selection: () => Selection, select: (change: Partial<Selection>) => void,
 *   request: () => Request | null, link: () => string | null}} PageInterface
 */

/** @param {Record<string, Record<string, string>>} texts */
export function start(texts) {
  if (globalThis.headlight) return;
  const language = pickLanguage(navigator.language, Object.keys(texts));
  const t = wording(texts[language], language);
  const store = createStore();
  const notices = createNotices();
  const opening = createOpening(store, notices.ofLink);

  /** `watch` tells of updates from the server only, so what is there at the start is shown at once. */
  const follow = (/** @type {Component} */ { props, watch }, /** @type {(json: string) => void} */ show) => {
    /** @type {string | null} */
    let shown = null;
    const changed = () => {
      const json = props.value ?? "";
      if (json !== shown) show(json);
      shown = json;
    };
    watch("value", changed);
    changed();
  };
  const subscribe = (/** @type {HTMLElement} */ element, /** @type {() => void} */ update) => {
    const stop = store.subscribe(() => (element.isConnected ? update() : stop()));
  };
  const request = () => {
    const trace = store.trace();
    return trace && requestOf(trace);
  };
  const fragment = () => {
    const trace = store.trace();
    return trace && writeLink(trace.model, requestOf(trace), store.selection());
  };
  /** It does not ask to present, even if this page does: whoever gets it may look around. */
  const link = () => {
    const shown = fragment();
    return shown && location.origin + location.pathname + shown;
  };
  const presenter = createPresenter(store, t, fragment);

  /** @type {Record<Component["view"], (component: Component) => void>} */
  const views = {
    skip: ({ element }) => element.replaceChildren(createSkip(t)),
    result(component) {
      subscribe(component.element, mountResult(component.element, store, t));
      follow(component, (json) => json && opening.show(decodeTrace(json)));
    },
    attention: ({ element }) => subscribe(element, mountAttention(element, store, t)),
    steps: ({ element }) => subscribe(element, mountSteps(element, store, t)),
    masks: (component) => {
      const show = mountMasks(component.element, t);
      follow(component, (json) => json && show(json));
    },
    notice: (component) => {
      notices.mount(mountNotice(component.element, t));
      follow(component, (json) => {
        if (json) opening.giveUp(); // what the server has to say is why there is no trace
        notices.ofServer(json ? JSON.parse(json) : null);
      });
    },
    tools: ({ element }) => {
      const share = createShare(() => link() ?? location.href, t);
      subscribe(element, share.update);
      element.replaceChildren(make("div", { class: "hl hl-tools" }, share.root, presenter.button));
    },
  };
  /** As soon as what the address asks for is there. */
  function presentOnce() {
    const stop = store.subscribe(() => {
      if (opening.waits()) return;
      stop();
      presenter.open();
    });
  }

  /** @param {Place} place */
  function mount(place) {
    if (place.view !== "link") return views[place.view](place);
    showTab(); // Gradio asks when the whole page is there
    nameSurroundings(t);
    place.answer(opening.request());
  }

  globalThis.headlight = { language, selection: store.selection, select: store.select, request, link };
  if (location.hash) opening.follow(location.hash);
  window.addEventListener("hashchange", () => {
    if (opening.follow(location.hash)) document.getElementById("open-link")?.click();
  });
  const showTab = followTabs(store);
  if (asksToPresent()) presentOnce();

  const early = /** @type {Place[]} */ (globalThis.headlightMounts ?? []);
  globalThis.headlightMounts = { push: mount };
  early.forEach(mount);
}

/** The server and a link may both have something to say; either may speak before the place is there. */
function createNotices() {
  /** @type {{server: Notice | null, link: Notice | null}} */
  const said = { server: null, link: null };
  /** @type {(notices: Notice[]) => void} */
  let show = () => {};
  const say = (/** @type {"server" | "link"} */ who, /** @type {Notice | null} */ notice) => {
    said[who] = notice;
    show([said.link, said.server].filter((each) => each !== null));
  };
  return {
    ofServer: (/** @type {Notice | null} */ notice) => say("server", notice),
    ofLink: (/** @type {Notice | null} */ notice) => say("link", notice),
    /** @param {(notices: Notice[]) => void} place */
    mount: (place) => (show = place),
  };
}

/**
 * Gradio's tabs follow the selection, and it follows them.
 * @param {import("./data/store.js").Store} store
 * @returns {() => void} to be called once the tabs are there
 */
function followTabs(store) {
  let { tab: open } = store.selection();
  const find = (/** @type {string} */ tab) => document.querySelector(`#tabs [role="tab"][data-tab-id="${tab}"]`);

  function show() {
    const { tab } = store.selection();
    const button = tab === open ? null : find(tab);
    if (!(button instanceof HTMLElement)) return;
    open = tab;
    button.click();
  }

  document.addEventListener("click", ({ target }) => {
    const tab = CHOICES.tab.find((name) => target instanceof Node && find(name)?.contains(target));
    if (!tab) return;
    open = tab;
    if (tab !== store.selection().tab) store.select({ tab });
  });
  store.subscribe(show);
  return show;
}
