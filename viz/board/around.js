/** What Gradio leaves unsaid to those who listen: names and states of its own parts around the board. */

import { make } from "./draw/dom.js";

/** @typedef {import("./draw/text.js").Wording} Wording */

/** Where content comes late: Gradio makes that of tabs and accordions when they are first opened. */
const CHANGING = ["decoding", "pair", "tabs"];

/** Plotly's buttons by their `data-attr` and `data-val`, and the keys of their names. @type {Record<string, string>} */
const PLOT_BUTTONS = {
  "dragmode zoom": "plot.drag_zoom", "dragmode pan": "plot.drag_pan",
  "zoom in": "plot.zoom_in", "zoom out": "plot.zoom_out", "zoom reset": "plot.reset",
};

/** To be called once the whole page is there. @param {Wording} t */
export function nameSurroundings(t) {
  let waiting = 0;
  function name() {
    waiting = 0;
    nameParts(t);
  }
  const observer = new MutationObserver(() => {
    waiting ||= requestAnimationFrame(name);
  });
  for (const id of CHANGING) {
    const part = document.getElementById(id);
    if (part) observer.observe(part, { childList: true, subtree: true, attributeFilter: ["class"] });
  }
  name();
}

/** @param {Wording} t */
function nameParts(t) {
  document.getElementById("direction")?.setAttribute("aria-label", t("direction.label"));
  for (const panel of document.querySelectorAll("#tabs [role='tabpanel']")) {
    panel.setAttribute("aria-labelledby", `${panel.id}-button`);
  }
  for (const button of document.querySelectorAll(".gr-accordion > .label-wrap")) {
    button.setAttribute("aria-expanded", String(button.classList.contains("open")));
    button.querySelector(".icon")?.setAttribute("aria-hidden", "true");
  }
  for (const slider of document.querySelectorAll(".block:has(> .wrap input[type='range'])")) nameSlider(slider, t);
  for (const plot of document.querySelectorAll("#tab-positions .block:has(.main-svg)")) namePlot(plot, t);
}

/** Gradio names both fields, in English, "number input for ..." and "range slider for ...". */
function nameSlider(/** @type {Element} */ slider, /** @type {Wording} */ t) {
  const label = slider.querySelector("[data-testid='block-info']")?.textContent ?? "";
  for (const field of slider.querySelectorAll("input")) field.setAttribute("aria-label", label);
  slider.querySelector(".reset-button")?.setAttribute("aria-label", t("slider.reset", { label }));
}

/** The heading above it names it; of the picture itself only scattered numbers of the axes would be read. */
function namePlot(/** @type {Element} */ plot, /** @type {Wording} */ t) {
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-labelledby", `${plot.id}-title`);
  for (const picture of plot.querySelectorAll(".main-svg")) picture.setAttribute("aria-hidden", "true");
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (plot.querySelectorAll(".modebar-btn[data-attr]"))) {
    const key = PLOT_BUTTONS[`${button.dataset.attr} ${button.dataset.val}`];
    if (!key) continue;
    button.dataset.title = t(key);
    button.setAttribute("aria-label", t(key));
  }
}

/**
 * Leads past sentence, examples and result to the first choice of the open tab.
 * @param {Wording} t
 */
export function createSkip(t) {
  const button = make("button", { type: "button", class: "hl-skip" }, t("skip.to_board"));
  button.addEventListener("click", () => {
    const open = document.querySelector("#tabs [role='tab'][aria-selected='true']");
    if (open instanceof HTMLElement) open.focus();
  });
  return button;
}
