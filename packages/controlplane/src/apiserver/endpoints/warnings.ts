const MAX_TOTAL = 4096;
const MAX_ITEM = 256;

/** Collects the `Warning` headers of one answer, each text once, within upstream's bounds (1.36). */
export class WarningList {
  #texts: string[] | undefined;
  #size = 0;
  #truncated = false;

  /** Adds a text. Bound: it is handed around as a function. */
  readonly add = (text: string): void => {
    if (text === '') return;
    this.#texts ??= [];
    if (this.#texts.includes(text)) return;
    let shown = text;
    if (this.#size + shown.length > MAX_TOTAL && !this.#truncated) this.#truncate();
    if (this.#truncated && shown.length > MAX_ITEM) shown = shown.slice(0, MAX_ITEM);
    if (this.#size + shown.length > MAX_TOTAL) return;
    this.#texts.push(shown);
    this.#size += shown.length;
  };

  /** The header's values, `299 - "text"`; absent when there is nothing to warn of. */
  headers(): readonly string[] | undefined {
    return this.#texts?.map((text) => `299 - "${escapeText(text)}"`);
  }

  #truncate(): void {
    this.#truncated = true;
    this.#texts = this.#texts?.map((text) => text.slice(0, MAX_ITEM)) ?? [];
    this.#size = this.#texts.reduce((sum, text) => sum + text.length, 0);
  }
}

function escapeText(text: string): string {
  // Control characters cannot stand in a header, whatever an object's author wrote.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/["\\]/g, '\\$&');
}
