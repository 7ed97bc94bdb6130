/** When a view is drawn: in the next frame, and only where there is room for it. */

/**
 * In a tab that is not open, and behind a presentation, a view has no width and is not drawn; it is when it gets one
 * again, whatever has changed meanwhile.
 * @param {HTMLElement} root of the view
 * @param {() => void} draw
 * @param {() => void} fit what was drawn to another width, or height of the window
 * @returns {() => void} asks for a drawing; many in one frame are one
 */
export function drawInRoom(root, draw, fit) {
  let fitted = "";
  let waiting = 0;
  const room = () => `${root.clientWidth}x${window.innerHeight}`;

  function frame() {
    waiting = 0;
    if (!root.clientWidth) {
      fitted = "";
      return;
    }
    draw();
    if (fitted !== room()) fit();
    fitted = room();
  }

  function drawSoon() {
    waiting ||= requestAnimationFrame(frame);
  }

  function refit() {
    if (fitted !== room()) drawSoon();
  }

  new ResizeObserver(refit).observe(root);
  window.addEventListener("resize", refit);
  return drawSoon;
}
