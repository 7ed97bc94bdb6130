/** From the JSON string that payload.py writes to arrays. */

const PAYLOAD_VERSION = 2;
const FULL = 65535;

/** @typedef {"encoder_self" | "decoder_self" | "cross"} Kind */

/** @type {Kind[]} in the order in which a translation passes through them */
export const KINDS = ["encoder_self", "decoder_self", "cross"];

/**
 * One kind of attention: all layers and heads, `weights` row by row.
 * @typedef {{layers: number, heads: number, rows: number, columns: number,
 *   weights: Float32Array, allowed: Uint8Array | null}} HeadMap
 */

/**
 * One number for each layer and head, null where it has no meaning. transformer/diagnostics.py says what they are.
 * @typedef {"entropy" | "special" | "diagonal" | "previous" | "next" | "alignment"} Measure
 * @typedef {Record<Measure, number[][] | null>} Diagnostics
 */

/**
 * `logProb` is the natural logarithm of the probability of all tokens together.
 * @typedef {{text: string, logProb: number, finished: boolean}} OwnChoice
 */

/**
 * @typedef {object} Trace
 * @property {string} model
 * @property {string} sourceText
 * @property {string} target
 * @property {string} text
 * @property {number} beamSize
 * @property {boolean} forced
 * @property {boolean} finished
 * @property {number} dropped
 * @property {string[]} sourceTokens
 * @property {string[]} sourceSurfaces what was typed for each source token
 * @property {string[]} targetTokens what went into the decoder at each step
 * @property {string[]} outputTokens what came out of it
 * @property {string[]} specialTokens
 * @property {{source: number[][], target: number[][], output: number[][]}} words the places of each word's tokens,
 *   specials alone
 * @property {number[]} logProbs
 * @property {[string, number][][]} topK candidates of each step with their log probabilities
 * @property {{layer: number, head: number, accuracy: number, trained: boolean} | null} alignmentHead of the cross map
 * @property {{rowSum: number, replay: number}} proof how far the weights are from what they claim to be
 * @property {Record<Kind, Diagnostics>} diagnostics
 * @property {string | null} forcedText what the visitor typed as the output
 * @property {OwnChoice | null} ownChoice what the model would have written instead, if the output was typed
 * @property {Record<Kind, HeadMap>} maps
 */

/** @param {string} base64 @returns {Uint8Array} */
export function bytes(base64) {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let i = 0; i < found.length; i++) found[i] = text.charCodeAt(i); // ten times as fast as Uint8Array.from
  return found;
}

/** @param {{shape: number[], weights: string, mask: string | null}} packed @returns {HeadMap} */
function decodeMap({ shape: [layers, heads, rows, columns], weights, mask }) {
  const packed = new Uint16Array(bytes(weights).buffer);
  return {
    layers, heads, rows, columns,
    weights: fractions(packed),
    allowed: mask === null ? null : bytes(mask),
  };
}

/** @param {Uint16Array} packed @returns {Float32Array} */
function fractions(packed) {
  const found = new Float32Array(packed.length);
  for (let i = 0; i < found.length; i++) found[i] = packed[i] / FULL;
  return found;
}

/** @param {string} json @returns {any} as payload.py writes it. Throws for one of another version. */
function checkedPayload(json) {
  const payload = JSON.parse(json);
  if (payload.version !== PAYLOAD_VERSION) {
    throw new Error(`payload version ${payload.version}, but this page reads ${PAYLOAD_VERSION}: reload the page`);
  }
  return payload;
}

/** @param {string} json @returns {Trace} */
export function decodeTrace(json) {
  const payload = checkedPayload(json);
  const { encoder_self, decoder_self, cross } = payload.maps;
  const maps = {
    encoder_self: decodeMap(encoder_self), decoder_self: decodeMap(decoder_self), cross: decodeMap(cross),
  };
  return { ...payload, maps };
}

/**
 * `id` and `reading` are text keys; `allowed` is 1 where the mask lets a row look.
 * @typedef {{id: string, reading: string, rows: string[], columns: string[], allowed: Uint8Array}} MaskPanel
 */

/** @param {string} json @returns {{specialTokens: string[], panels: MaskPanel[]}} */
export function decodeMasks(json) {
  const payload = checkedPayload(json);
  const panels = /** @type {(Omit<MaskPanel, "allowed"> & {allowed: string})[]} */ (payload.panels);
  return { ...payload, panels: panels.map((panel) => ({ ...panel, allowed: bytes(panel.allowed) })) };
}
