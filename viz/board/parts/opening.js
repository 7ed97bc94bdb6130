/** Opening links: what the server is asked for, what is selected once its answer is here, what the visitor is told. */

import { readLink, requestOf, writtenPart } from "../data/link.js";

/** @typedef {import("../data/decode.js").Trace} Trace */
/** @typedef {import("../data/link.js").Link} Link */
/** @typedef {import("../data/link.js").Request} Request */
/** @typedef {import("../data/store.js").Selection} Selection */
/** @typedef {import("./notice.js").Notice} Notice */

/** As transformer/translator.py cuts a text. */
const LONGEST_TEXT = 10_000;
/** Parts of a broken link that are named, and characters of each: whatever was pasted is not to fill the page. */
const MOST_NAMED = 4;
const LONGEST_NAMED = 40;

/** Of a text in which nothing is to be seen, the server takes nothing. */
const VISIBLE = /[^\p{C}\p{Z}\s]/u;

/** What a trace may hold of a text. @param {string | null} text */
const readable = (text) =>
  VISIBLE.test(text ?? "") ? [...(text ?? "").trim()].slice(0, LONGEST_TEXT).join("").trim() : "";

/** Whether the trace is what the server makes of the request. @param {Trace} trace @param {Request} request */
function answers(trace, request) {
  const { text, target, beam_size, forced } = requestOf(trace);
  return readable(text) === readable(request.text) && readable(forced) === readable(request.forced)
    && target === request.target && beam_size === request.beam_size;
}

/**
 * @param {import("../data/store.js").Store} store
 * @param {(notice: Notice | null) => void} tell
 */
export function createOpening(store, tell) {
  /** @type {Partial<Request> | null} */
  let request = null;
  /** @type {Link | null} what is selected when its trace is here */
  let awaited = null;
  /** @type {Request | null} what the page shows before anything is asked for */
  let usual = null;

  /** @param {Trace} trace */
  function show(trace) {
    const isFirst = usual === null;
    usual ??= requestOf(trace);
    const link = awaited;
    if (link && answers(trace, { ...usual, ...link.request })) {
      awaited = null;
      store.open(trace, link.selection);
      tell(remarks(link, trace, store.selection()));
    } else {
      store.load(trace);
      if (!awaited && !isFirst) tell(null); // what was said of the address stands beside what the page opens with
    }
  }

  return {
    /** What the server is to be asked for; null for nothing. */
    request: () => request,
    /** Whether a link was followed whose trace is not here yet. */
    waits: () => awaited !== null,
    show,
    /** The server has refused what was asked for. */
    giveUp() {
      awaited = null;
    },
    /** @param {string} fragment @returns {boolean} whether the server must be asked */
    follow(fragment) {
      const link = readLink(fragment);
      const understood = link.model !== null || Object.keys({ ...link.request, ...link.selection }).length > 0;
      if (!understood && link.ignored.length > 0) {
        tell({ level: "warning", messages: [ignoredMessage(link.ignored)] });
        return false;
      }
      tell(null);
      request = link.request;
      awaited = link;
      // What is asked for may be here already: the server's answer would then change nothing and not be noticed.
      const trace = store.trace();
      if (trace && usual && answers(trace, { ...usual, ...link.request })) show(trace);
      return true;
    },
  };
}

/** @param {Link} link @param {Trace} trace @param {Selection} selection that was made of it @returns {Notice | null} */
function remarks(link, trace, selection) {
  const asked = /** @type {(keyof Selection)[]} */ (Object.keys(link.selection));
  const unmet = asked.filter((name) => String(link.selection[name]) !== String(selection[name]));
  const ignored = [...link.ignored, ...unmet.map((name) => writtenPart(name, link.selection))];
  /** @type {Notice["messages"]} */
  const messages = ignored.length > 0 ? [ignoredMessage(ignored)] : [];
  if (link.model !== null && link.model !== trace.model) {
    messages.push({ key: "link.other_model", values: { asked: shortened(link.model), model: trace.model } });
  }
  return messages.length > 0 ? { level: "warning", messages } : null;
}

/** @param {string[]} parts */
function ignoredMessage(parts) {
  const named = parts.slice(0, MOST_NAMED).map(shortened);
  return { key: "link.ignored", values: { parts: [...named, ...(parts.length > MOST_NAMED ? ["…"] : [])].join(", ") } };
}

/** @param {string} text */
function shortened(text) {
  const letters = [...text];
  return letters.length > LONGEST_NAMED ? `${letters.slice(0, LONGEST_NAMED).join("")}…` : text;
}
