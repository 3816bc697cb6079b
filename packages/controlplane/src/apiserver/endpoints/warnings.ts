const MAX_TOTAL = 4096;
const MAX_ITEM = 256;

/** Collects the `Warning` headers of one answer, each text once, within upstream's bounds (1.36). */
export class WarningList {
  readonly #given = new Set<string>();
  #texts: string[] | undefined;
  #size = 0;
  #truncated = false;

  /** Adds a text. Bound: it is handed around as a function. */
  readonly add = (text: string): void => {
    if (text === '' || this.#given.has(text)) return;
    if (this.#truncated && this.#size >= MAX_TOTAL) return;
    this.#given.add(text);
    const shown = this.#truncated ? cut(text) : text;
    if (!this.#truncated && this.#size + lengthOf(shown) > MAX_TOTAL) {
      this.#truncated = true;
      this.#texts = [...this.#given].map(cut);
      this.#size = this.#texts.reduce((sum, one) => sum + lengthOf(one), 0);
      return;
    }
    this.#texts ??= [];
    this.#texts.push(shown);
    this.#size += lengthOf(shown);
  };

  /** The header's values, `299 - "text"`; absent when there is nothing to warn of. */
  headers(): readonly string[] | undefined {
    return this.#texts?.map((text) => `299 - "${escapeText(text)}"`);
  }
}

/** In characters, as Go's runes. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function cut(text: string): string {
  return text.length <= MAX_ITEM ? text : Array.from(text).slice(0, MAX_ITEM).join('');
}

/** As a header carries it: no control characters, quotes escaped, beyond ASCII the bytes of UTF-8, as Go writes them. */
function escapeText(text: string): string {
  // Control characters cannot stand in a header, whatever an object's author wrote.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const plain = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/["\\]/g, '\\$&');
  return Buffer.from(plain).toString('latin1');
}
