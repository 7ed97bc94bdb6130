/** Keys that act on the whole page, whatever has the focus. */

/** Where keys are typed text, or choose by the first letter. */
const TYPED_IN = "textarea, select, [contenteditable], input:not([type='radio'], [type='checkbox'], [type='range'])";

/**
 * The key of a shortcut, letters small; null for what the visitor means for the browser or for a field.
 * @param {KeyboardEvent} event
 */
export function shortcutOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return null;
  const [target] = event.composedPath();
  if (target instanceof Element && target.closest(TYPED_IN)) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
