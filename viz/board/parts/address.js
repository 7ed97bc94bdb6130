/** The address of the page while it presents: it says so, and what is shown, so that loading it again goes on there. */

const NAME = "present";
const YES = "1";
/** Milliseconds of rest before the address follows: browsers refuse hundreds of changes within seconds. */
const FOLLOW_AFTER = 400;

/** Whether the address asks for a presentation, `?present=1`. */
export const asksToPresent = () => new URLSearchParams(location.search).get(NAME) === YES;

/** @param {boolean} presents @param {string} fragment */
function write(presents, fragment) {
  const url = new URL(location.href);
  if (presents) url.searchParams.set(NAME, YES);
  else url.searchParams.delete(NAME);
  url.hash = fragment;
  try {
    history.replaceState(history.state, "", url);
  } catch {
    // Some browsers do not let a page that was opened from a file change its address. Presenting works without.
  }
}

/** @param {() => string | null} fragment what the address is to say of what is shown, with its "#"; null: nothing */
export function createAddress(fragment) {
  let before = "";
  let timer = 0;
  /** The visitor may change the fragment, or go back, while presenting. */
  const remember = () => {
    before = location.hash;
  };

  return {
    enter() {
      remember();
      window.addEventListener("hashchange", remember);
      write(true, before);
    },
    follow() {
      clearTimeout(timer);
      timer = setTimeout(() => write(true, fragment() ?? before), FOLLOW_AFTER);
    },
    leave() {
      clearTimeout(timer);
      window.removeEventListener("hashchange", remember);
      write(false, before);
    },
  };
}
