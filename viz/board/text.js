/** The words of the page, in the visitor's language. */

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
    (words[key] ?? key).replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}
