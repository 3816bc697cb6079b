import { BodyReadError } from '../parsed-body.ts';

/**
 * A position in a YAML document, shared by all parts of the parser. The position only moves forward, so parsing takes
 * linear time.
 */
export class YamlCursor {
  readonly text: string;
  at = 0;
  /** Offset of the start of the current line. */
  lineStart = 0;
  #lineStarts: readonly number[] | undefined;
  readonly #maxDepth: number;
  #depth = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.#maxDepth = maxDepth;
    if (text.charCodeAt(0) === 0xfeff) this.at = this.lineStart = 1;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  code(offset = 0): number {
    return this.text.charCodeAt(this.at + offset);
  }

  /** True at a blank, a line break or the end of the text. */
  isBreakOrBlank(offset = 0): boolean {
    const c = this.code(offset);
    return c === space || c === tab || c === lf || c === cr || Number.isNaN(c);
  }

  /** True at the end of the line: at a line feed, at a carriage return before a line feed, or at the end of the text. */
  isBreak(offset = 0): boolean {
    const c = this.code(offset);
    if (c !== cr) return c === lf || Number.isNaN(c);
    const next = this.code(offset + 1);
    return next === lf || Number.isNaN(next);
  }

  /** Skips blanks on this line. */
  skipBlanks(): void {
    for (let c = this.code(); c === space || c === tab; c = this.code()) this.at++;
  }

  /** Moves past the next line break. */
  nextLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end + 1;
    this.lineStart = this.at;
  }

  /** Skips blanks, comments and line breaks. Returns true if the cursor has moved to another line. */
  skipToContent(): boolean {
    let left = false;
    for (;;) {
      const isBlankBefore = this.at === this.lineStart || this.isBreakOrBlank(-1);
      const from = this.at;
      this.skipBlanks();
      if (this.code() === hash && (isBlankBefore || this.at > from)) this.at = this.lineEnd();
      if (!this.isBreak() || this.atEnd) break;
      this.nextLine();
      left = true;
    }
    if (left && this.text.slice(this.lineStart, this.at).includes('\t')) {
      // Blanks at the start of a line are indentation, which must consist of spaces.
      this.fail('found character that cannot start any token');
    }
    return left;
  }

  /** Returns the offset of the current line's end, excluding the line break. */
  lineEnd(): number {
    const found = this.text.indexOf('\n', this.at);
    const end = found < 0 ? this.text.length : found;
    return this.text.charCodeAt(end - 1) === cr && end > this.at ? end - 1 : end;
  }

  /** True at a line that ends a document: `---` or `...`. */
  isDocumentMarker(): boolean {
    if (this.at !== this.lineStart) return false;
    const c = this.code();
    if ((c !== dash && c !== dot) || this.code(1) !== c || this.code(2) !== c) return false;
    return this.isBreakOrBlank(3);
  }

  /** Returns the line number of an offset, from 1. */
  lineOf(at: number): number {
    this.#lineStarts ??= lineStartsOf(this.text);
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Enters a nesting level and checks the maximum depth; call {@link leave} at the end of the level. */
  enter(): void {
    if (++this.#depth > this.#maxDepth) {
      throw new BodyReadError('depth', `yaml: exceeded max depth of ${this.#maxDepth}`);
    }
  }

  leave(): void {
    this.#depth--;
  }

  fail(message: string): never {
    throw new BodyReadError('syntax', `yaml: line ${this.lineOf(this.at)}: ${message}`);
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

export const tab = 0x09;
export const lf = 0x0a;
export const cr = 0x0d;
export const space = 0x20;
export const hash = 0x23;
export const dash = 0x2d;
const dot = 0x2e;
