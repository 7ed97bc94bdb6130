/** What the rows and columns of a picture stand for: pieces or whole words, with or without special tokens. */

/** How SentencePiece writes a space. */
export const SPACE = "\u2581";

/** @typedef {import("./decode.js").Trace} Trace */
/** @typedef {import("./decode.js").Kind} Kind */
/** @typedef {import("./store.js").Selection} Selection */

/**
 * What a row or column is called. `surface` is what was typed for an unknown piece; a special token stands for no text.
 * @typedef {{token: string, surface?: string, special?: boolean}} Piece
 */

/**
 * One side: its pieces, and for each the places of its tokens in the trace.
 * @typedef {{pieces: Piece[], groups: number[][]}} Side
 */

/**
 * `outputs` is what each row's steps wrote; null for the encoder, which writes nothing.
 * `hidden` are the columns' groups that are left out.
 * @typedef {{rows: Side, columns: Side, outputs: Piece[] | null, hidden: number[][]}} Layout
 */

/** @param {Trace} trace @returns {Piece[]} */
export function sourcePieces(trace) {
  return trace.sourceTokens.map((token, i) => ({
    token, surface: trace.sourceSurfaces[i], special: trace.specialTokens.includes(token),
  }));
}

/** @param {Trace} trace @param {string[]} tokens @returns {Piece[]} */
export function writtenPieces(trace, tokens) {
  return tokens.map((token) => ({ token, special: trace.specialTokens.includes(token) }));
}

/**
 * @param {Piece[]} pieces @param {number[][]} words tokens of each word @param {Selection["units"]} units
 * @returns {Side}
 */
function side(pieces, words, units) {
  const groups = units === "words" ? words : pieces.map((_, i) => [i]);
  return { pieces: groupedPieces(pieces, groups, units), groups };
}

/** @param {Piece[]} pieces @param {number[][]} groups @param {Selection["units"]} units @returns {Piece[]} */
function groupedPieces(pieces, groups, units) {
  return groups.map((members) => (units === "words" ? wordOf(members.map((i) => pieces[i])) : pieces[members[0]]));
}

/** A word as it is written: the pieces' marks of spaces are spaces again. @param {Piece[]} pieces @returns {Piece} */
function wordOf(pieces) {
  const special = pieces.every((piece) => piece.special);
  const token = pieces.map((piece) => piece.token).join("");
  const surface = pieces.map((piece) => piece.surface ?? "").join("");
  return { token: special ? token : token.replaceAll(SPACE, " ").trim() || token, surface, special };
}

/** @param {Side} whole @param {(piece: Piece, place: number) => boolean} stays @returns {Side} */
function kept({ pieces, groups }, stays) {
  return { pieces: pieces.filter(stays), groups: groups.filter((_, place) => stays(pieces[place], place)) };
}

/**
 * The rows of a decoder are its steps. Cross-attention says where the model looked while it chose a word, so the steps
 * that wrote one word make one row there; decoder self-attention says where a word that was written looks, so there the
 * steps that read one word do, as its columns are those words.
 *
 * Hidden special tokens lose their columns. Their rows go too, except where the row's step wrote a token of the text:
 * after `<s>` the first one is chosen.
 * @param {Trace} trace @param {Kind} kind @param {Pick<Selection, "units" | "special">} how
 * @returns {Layout}
 */
export function layoutOf(trace, kind, { units, special }) {
  const source = side(sourcePieces(trace), trace.words.source, units);
  const wentIn = writtenPieces(trace, trace.targetTokens);
  const written = side(wentIn, trace.words.target, units);
  const wrote = writtenPieces(trace, trace.outputTokens);
  const rows = { encoder_self: source, decoder_self: written, cross: side(wentIn, trace.words.output, units) }[kind];
  const columns = kind === "decoder_self" ? written : source;
  const outputs = kind === "encoder_self" ? null : groupedPieces(wrote, rows.groups, units);
  if (special === "shown") return { rows, columns, outputs, hidden: [] };
  const isText = (/** @type {Piece} */ piece) => !piece.special;
  return {
    rows: kept(rows, (piece, place) => isText(outputs ? outputs[place] : piece)),
    columns: kept(columns, isText),
    outputs: outputs && outputs.filter(isText),
    hidden: columns.groups.filter((_, place) => columns.pieces[place].special),
  };
}

/** The row that a step belongs to, or null. @param {Layout} layout @param {number | null} step */
export function rowOfStep({ rows, outputs }, step) {
  const row = outputs && step !== null ? rows.groups.findIndex((steps) => steps.includes(step)) : -1;
  return row < 0 ? null : row;
}
