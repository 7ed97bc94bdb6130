/** What a presentation shows: the sentence, one picture and what it takes to read it, as large as the window allows. */

import { layoutOf } from "../data/layout.js";
import { placeOfHead } from "../data/tour.js";
import { viewOf } from "../data/view.js";
import { make } from "../draw/dom.js";
import { createHold } from "../draw/hold.js";
import { createLegend } from "../draw/legend.js";
import { createSpeaker } from "../draw/speak.js";
import { headsName, strandsName } from "./naming.js";
import { createPicture } from "./picture.js";
import { createPieces } from "./pieces.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/layout.js").Layout} Layout */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("../draw/text.js").Wording} Wording */

/** Tokens, read and written, from which on they are set smaller: the picture tells them again. */
const MANY_TOKENS = 44;

/**
 * Like the board's, its root tells in `data-map`, `data-layer` and so on what is drawn; `data-drawn` counts drawings.
 * @param {import("../data/store.js").Store} store
 * @param {Wording} t
 */
export function createSlide(store, t) {
  const space = make("div", { class: "hl-slide-space" });
  const room = () => ({ width: space.clientWidth, height: space.clientHeight });
  const pieces = createPieces(t, store.select);
  const picture = createPicture(t, store.select, { room, label: "present.label" });
  const place = make("span");
  const frozen = make("strong", { class: "hl-frozen", hidden: "" }, t("present.frozen"));
  const reading = make("p", { class: "hl-slide-reading" });
  const legend = createLegend(t);
  const speaker = createSpeaker();
  picture.caption.prepend(make("p", { class: "hl-slide-place" }, place, frozen));
  picture.caption.append(reading);
  const attributes = { class: "hl hl-slide", "aria-label": t("present.region"), tabindex: -1, "data-drawn": 0 };
  const root = make("main", attributes, pieces.root, space, picture.root, legend.root, speaker.root);
  const hold = createHold([pieces.root, picture.root]);
  const layoutFor = keptLayout();
  let drawn = 0;
  let waiting = 0;
  let fitted = "";
  let told = "";

  function draw() {
    waiting = 0;
    const trace = store.trace();
    if (!trace || !root.isConnected) return;
    const selection = store.selection();
    const view = viewOf(trace, selection, layoutFor(trace, selection));
    pieces.update(trace, selection.step);
    root.classList.toggle("hl-slide-long", trace.sourceTokens.length + trace.outputTokens.length > MANY_TOKENS);
    place.textContent = placeName(trace, selection, t);
    reading.textContent = readingOf(selection, t);
    legend.root.hidden = selection.view !== "heatmap";
    legend.update(view, selection.scale === "stretched", view.blank?.includes(1) ?? false);
    picture.update(trace, selection, view);
    fit();
    tell();
    Object.assign(root.dataset, { ...selection, step: selection.step ?? "", drawn: ++drawn });
  }

  /** The text beside the picture may have left it another room. */
  function fit() {
    const size = Object.values(room()).join("x");
    if (size === fitted) return;
    fitted = size;
    root.style.setProperty("--slide-height", `${room().height}px`);
    picture.fit();
  }

  /** Says which head is shown when it has become another. */
  function tell() {
    const name = [picture.caption.querySelector("h3")?.textContent, place.textContent].filter(Boolean).join(", ");
    if (name !== told) speaker.say(name);
    told = name;
  }

  /** Many changes in one frame are one drawing. */
  function update() {
    waiting ||= requestAnimationFrame(draw);
  }

  new ResizeObserver(update).observe(space);

  return {
    root, update,
    say: speaker.say,
    /** @param {boolean} held whether pointers and clicks are to change nothing */
    freeze(held) {
      hold(held);
      frozen.hidden = !held;
      root.dataset.frozen = String(held);
    },
  };
}

/** One layout as long as rows and columns stay what they are, so that the cell pointed at stays when heads change. */
function keptLayout() {
  const shows = /** @type {const} */ (["map", "units", "special"]);
  /** @type {{trace: Trace, selection: Selection, layout: Layout} | null} */
  let made = null;
  return (/** @type {Trace} */ trace, /** @type {Selection} */ selection) => {
    if (made?.trace !== trace || shows.some((name) => made?.selection[name] !== selection[name])) {
      made = { trace, selection, layout: layoutOf(trace, selection.map, selection) };
    }
    return made.layout;
  };
}

/** Of one head alone. @param {Trace} trace @param {Selection} selection @param {Wording} t */
function placeName(trace, selection, t) {
  if (selection.merge !== "head" || strandsName(trace, selection, t) !== headsName(trace, selection, t)) return "";
  const { place, count } = placeOfHead(trace, selection);
  return t("present.place", { place: place + 1, count });
}

/** How to read the picture; of a rollout its own note says it. @param {Selection} selection @param {Wording} t */
function readingOf({ map, merge, view }, t) {
  if (view === "lines") return t("present.lines");
  return merge === "rollout" ? "" : t(`map.${map}.reading`);
}
