/** A box that scrolls what is too large for it, which fades at each edge beyond which there is more. */

import { make } from "./dom.js";

/** Pixels that a browser may leave unscrolled where sizes are not whole. */
const ROUNDING = 1;

/**
 * @param {HTMLElement} content
 * @returns {{root: HTMLElement, scroller: HTMLElement}} the part that scrolls, in its frame
 */
export function createScroller(content) {
  const scroller = make("div", { class: "hl-scroll" }, content);
  const edges = make("div", { class: "hl-edges" });
  const root = make("div", { class: "hl-frame" }, scroller, edges);

  function fade() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller;
    const hidden = {
      left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft,
      top: scrollTop, bottom: scrollHeight - clientHeight - scrollTop,
    };
    for (const [edge, size] of Object.entries(hidden)) edges.classList.toggle(`hl-more-${edge}`, size > ROUNDING);
    edges.style.setProperty("--view-width", `${clientWidth}px`); // without the scroll bars
    edges.style.setProperty("--view-height", `${clientHeight}px`);
  }

  scroller.addEventListener("scroll", fade, { passive: true });
  const observer = new ResizeObserver(fade);
  observer.observe(scroller);
  observer.observe(content);
  return { root, scroller };
}
