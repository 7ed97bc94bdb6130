/** The words of the page, in the visitor's language. */

const PLACE = /\{(\w+)\}/;

/**
 * @param {string} locale as the browser gives it, "es-MX" for one
 * @param {string[]} languages those there are words for
 */
export function pickLanguage(locale, languages) {
  const language = locale.toLowerCase().split("-")[0];
  return languages.includes(language) ? language : "en";
}

/**
 * @param {Record<string, string>} words
 * @returns {(key: string, values?: Record<string, string | number>) => string} fills {places}; an unknown key shows itself
 */
export function wording(words) {
  return (key, values = {}) =>
    (words[key] ?? key).replaceAll(new RegExp(PLACE, "g"), (place, name) => (name in values ? String(values[name]) : place));
}

/**
 * A sentence with elements in its places.
 * @param {string} sentence with {places}
 * @param {Record<string, Node>} nodes
 * @returns {(Node | string)[]}
 */
export function filled(sentence, nodes) {
  return sentence.split(PLACE).map((part, i) => (i % 2 ? nodes[part] : part));
}
