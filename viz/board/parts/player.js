/** Through the steps one by one: a slider, a button each way, and one that goes on by itself. */

import { make } from "../draw/dom.js";
import { createSpeaker } from "../draw/speak.js";

/** Milliseconds that a step stays when they go on by themselves: time to find what changed. */
const PACE = 1400;

/**
 * @param {import("../draw/text.js").Wording} t
 * @param {(step: number) => void} onStep
 */
export function createPlayer(t, onStep) {
  const back = playerButton("back", t("step.back"), "◀");
  const play = make("button", { type: "button", class: "hl-button hl-play", "data-player": "play" });
  const next = playerButton("next", t("step.next"), "▶");
  const slider = /** @type {HTMLInputElement} */ (make("input",
    { type: "range", min: 0, step: 1, class: "hl-slider", "aria-label": t("step.slider") }));
  const place = make("span", { class: "hl-place" });
  const speaker = createSpeaker();
  const root = make("div", { class: "hl-player" }, back, play, next, slider, place, speaker.root);
  let step = 0;
  let count = 1;
  /** Whether what comes next is to be read out: a slider speaks for itself. */
  let speaks = false;
  /** Of the timer; 0: the steps do not go on by themselves. */
  let timer = 0;

  /** @param {number} to */
  function go(to) {
    if (to < 0 || to >= count || to === step) return;
    speaks = true;
    onStep(to);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = t("step.play");
  }

  function start() {
    if (count === 1) return;
    if (step === count - 1) go(0);
    timer = setInterval(() => {
      if (!root.offsetWidth) return stop(); // in a tab that was left
      go(step + 1);
    }, PACE);
    play.textContent = t("step.pause");
  }

  back.addEventListener("click", () => { stop(); go(step - 1); });
  next.addEventListener("click", () => { stop(); go(step + 1); });
  play.addEventListener("click", () => (timer ? stop() : start()));
  slider.addEventListener("input", () => { stop(); onStep(slider.valueAsNumber); });
  stop();

  return {
    root, stop,
    /** @param {number} current step @param {number} of how many @param {string} wrote what it wrote, in plain text */
    update(current, of, wrote) {
      [step, count] = [current, of];
      if (step === count - 1) stop();
      const name = t("step.spoken", { step: step + 1, count, output: wrote });
      if (speaks) speaker.say(name);
      speaks = false;
      slider.max = String(count - 1);
      slider.value = String(step);
      slider.setAttribute("aria-valuetext", name);
      place.textContent = t("step.place", { step: step + 1, count });
      const ends = /** @type {const} */ ([[back, step === 0], [next, step === count - 1], [play, count === 1]]);
      // Not disabled: the one that is pressed would lose the focus at the end.
      for (const [node, isEnd] of ends) node.setAttribute("aria-disabled", String(isEnd));
    },
  };
}

/** @param {string} name @param {string} label @param {string} sign */
function playerButton(name, label, sign) {
  return make("button",
    { type: "button", class: "hl-button", "data-player": name, "aria-label": label, title: label }, sign);
}
