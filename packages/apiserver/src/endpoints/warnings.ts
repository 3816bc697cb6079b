const maxTotal = 4096;
const maxItem = 256;

/** Collects the `Warning` headers of one response, without duplicates, within upstream's limits (1.36). */
export class WarningList {
  readonly #given = new Set<string>();
  #texts: string[] | undefined;
  #size = 0;
  #truncated = false;

  /** Adds a warning. Bound, because it is passed around as a function. */
  readonly add = (text: string): void => {
    if (text === '' || this.#given.has(text)) return;
    if (this.#truncated && this.#size >= maxTotal) return;
    this.#given.add(text);
    const shown = this.#truncated ? cut(text) : text;
    if (!this.#truncated && this.#size + lengthOf(shown) > maxTotal) {
      this.#truncated = true;
      this.#texts = [...this.#given].map(cut);
      this.#size = this.#texts.reduce((sum, one) => sum + lengthOf(one), 0);
      return;
    }
    this.#texts ??= [];
    this.#texts.push(shown);
    this.#size += lengthOf(shown);
  };

  /** Returns the header values, `299 - "text"`, or undefined if there are no warnings. */
  headers(): readonly string[] | undefined {
    return this.#texts?.map((text) => `299 - "${escapeText(text)}"`);
  }
}

/** Counts code points, as Go counts runes. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function cut(text: string): string {
  return text.length <= maxItem ? text : Array.from(text).slice(0, maxItem).join('');
}

/** Escapes text for a header: no control characters, escaped quotes, and UTF-8 bytes beyond ASCII, as Go writes them. */
function escapeText(text: string): string {
  // Control characters are invalid in a header, no matter what an object's author wrote.
  const plain = text.replace(/[^ -~\u0080-\uffff]+/g, ' ').replace(/["\\]/g, '\\$&');
  return Buffer.from(plain).toString('latin1');
}
