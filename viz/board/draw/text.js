/** The words and the numbers of the page, in the visitor's language. */

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
 * Called with a key it fills the {places} of that sentence; an unknown key shows itself.
 * `number` writes as many decimals as there are, `fraction` four, `percent` a share of 1 in percent with one decimal,
 * `scientific` two digits and a power of ten, 1.2E-7.
 * @typedef {((key: string, values?: Record<string, string | number>) => string)
 *   & Record<"number" | "fraction" | "percent" | "scientific", (value: number) => string>} Wording
 */

/**
 * @param {Record<string, string>} words
 * @param {string} language of the words; its number format is taken
 * @returns {Wording}
 */
export function wording(words, language) {
  /** @param {string} key @param {Record<string, string | number>} values */
  const t = (key, values = {}) => (words[key] ?? key)
    .replaceAll(new RegExp(PLACE, "g"), (place, name) => (name in values ? String(values[name]) : place));
  /** @param {number} digits @param {"decimal" | "percent"} style */
  const numbers = (digits, style = "decimal") =>
    new Intl.NumberFormat(language, { style, minimumFractionDigits: digits, maximumFractionDigits: digits }).format;
  const scientific = new Intl.NumberFormat(language, { notation: "scientific", maximumFractionDigits: 1 });
  return Object.assign(t, {
    /** @param {number} value */
    scientific: (value) => (value === 0 ? "0" : scientific.format(value)),
    number: new Intl.NumberFormat(language).format, fraction: numbers(4), percent: numbers(1, "percent"),
  });
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
