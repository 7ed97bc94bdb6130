/** Parts of the page that can be held: then pointers, clicks and the focus change nothing in them. */

const EVENTS = ["pointermove", "pointerdown", "pointerenter", "pointerleave", "click", "focus", "blur", "keydown"];

/** @param {HTMLElement[]} parts @returns {(held: boolean) => void} */
export function createHold(parts) {
  let isHeld = false;
  const stop = (/** @type {Event} */ event) => {
    if (isHeld) event.stopPropagation(); // on its way down: what listens in the part is not told
  };
  for (const part of parts) EVENTS.forEach((name) => part.addEventListener(name, stop, { capture: true }));
  return (held) => {
    isHeld = held;
    for (const part of parts) part.classList.toggle("hl-held", held);
  };
}
