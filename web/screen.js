/** A terminal's screen as its host sends it, kept by row, and the text styles that are drawn. Pure. */

/** @typedef {import("./wire").Screen} Drawing */
/** @typedef {{text: string, style?: string, wide?: boolean}} Run */

/** Largest width and height of a terminal. */
const sideMax = 1000;

export class HeldScreen {
  /** The id of the current screen; empty if there is none. */ of = "";
  /** The position for the next request; empty to request the whole screen. */ after = "";
  rows = 0;
  columns = 0;
  /** @type {{row: number, column: number}|null} */ cursor = null;
  /** @type {Run[][]} */ lines = [];
  isCut = false;
  wrapsPaste = false;
  applicationKeys = false;

  /**
   * @param {Drawing} drawing
   * @returns {number[]|null} The changed rows; null if the update refers to another screen than the current one.
   */
  take(drawing) {
    if (!drawing.whole && (!this.of || drawing.base !== this.of)) {
      this.after = "";
      return null;
    }
    const rows = side(drawing.rows);
    const isNew = drawing.whole === true || rows !== this.rows || drawing.columns !== this.columns;
    if (isNew) this.lines = Array.from({ length: rows }, () => []);
    const changed = new Set(isNew ? this.lines.keys() : []);
    for (const { row, runs } of drawing.lines) {
      if (!(row < rows)) continue;
      this.lines[row] = runs;
      changed.add(row);
    }
    [this.of, this.after, this.rows, this.columns] = [drawing.of, drawing.of, rows, side(drawing.columns)];
    this.cursor = drawing.cursor ?? null;
    [this.isCut, this.wrapsPaste, this.applicationKeys] = [drawing.cut === true, drawing.wrapsPaste === true, drawing.applicationKeys === true];
    return [...changed].sort((one, other) => one - other);
  }

  /** The screen's text for copying. */
  get text() {
    return this.lines.map((runs) => runs.map(({ text }) => text).join("").trimEnd()).join("\n").trimEnd();
  }
}

/** @param {number} value */
const side = (value) => Math.max(0, Math.min(sideMax, Math.trunc(value) || 0));

/** @typedef {{ink?: string, paper?: string, marks: string[]}} Look `ink` and `paper`: an index of the palette, 0 to 15, or a CSS colour. */

const markOf = new Map([[1, "bold"], [2, "faint"], [3, "italic"], [4, "underlined"], [7, "inverse"], [9, "struck"]]);

/**
 * The look of text in a style. Unknown parameters are ignored.
 * @param {string} style SGR parameters.
 * @returns {Look}
 */
export function lookOf(style) {
  /** @type {Look} */
  const look = { marks: [] };
  const rest = style.split(";").map(Number);
  while (rest.length) {
    const number = Number(rest.shift());
    const mark = markOf.get(number);
    if (mark) look.marks.push(mark);
    else if (number === 38) look.ink = colour(rest);
    else if (number === 48) look.paper = colour(rest);
    else if (number >= 30 && number <= 37) look.ink = String(number - 30);
    else if (number >= 90 && number <= 97) look.ink = String(number - 82);
    else if (number >= 40 && number <= 47) look.paper = String(number - 40);
    else if (number >= 100 && number <= 107) look.paper = String(number - 92);
  }
  return look;
}

/**
 * Reads the parameters after 38 or 48.
 * @param {number[]} rest
 */
function colour(rest) {
  const form = rest.shift();
  if (form === 2) return rgb(rest.splice(0, 3));
  const place = form === 5 ? rest.shift() : undefined;
  if (place === undefined || !(place >= 0 && place <= 255)) return undefined;
  if (place < 16) return String(place);
  if (place >= 232) return rgb([0, 0, 0].map(() => (place - 232) * 10 + 8));
  const step = (/** @type {number} */ value) => (value ? value * 40 + 55 : 0);
  const cube = place - 16;
  return rgb([step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)]);
}

/** @param {number[]} parts */
const rgb = (parts) => (parts.length === 3 && parts.every((part) => part >= 0 && part <= 255) ? `rgb(${parts.join(" ")})` : undefined);
