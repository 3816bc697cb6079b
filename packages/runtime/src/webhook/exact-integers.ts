import { WebhookError } from './webhook-error.ts';

/**
 * Parses JSON and remembers the integers that a JavaScript number rounds (beyond 2^53), so that values derived from it can be
 * written with the original integers. Code in between sees the rounded numbers. The API's integers have 64 bits; a webhook that
 * rounds them changes fields that no one edited.
 */
export class ExactIntegers {
  /** The text of each number; undefined if several texts round to it. */
  readonly #written: Map<number, string | undefined>;

  private constructor(written: Map<number, string | undefined>) {
    this.#written = written;
  }

  /**
   * Parses a text.
   *
   * @throws SyntaxError if it is not JSON
   */
  static read(text: string): { readonly value: unknown; readonly integers: ExactIntegers } {
    const value: unknown = JSON.parse(text);
    return { value, integers: new ExactIntegers(LARGE.test(text) ? largeNumbers(text) : new Map()) };
  }

  /**
   * Writes a value derived from the parsed one.
   * @throws WebhookError if it holds a number that several different integers were rounded to
   */
  write(value: unknown): string {
    const rounded = JSON.stringify(value);
    if (this.#written.size === 0) return rounded;
    let mark = 'exact-integer-';
    while (rounded.includes(mark)) mark += '-'; // a text that does not occur in the value
    const kept: string[] = [];
    const marked = JSON.stringify(value, (_key, item: unknown) => {
      if (typeof item !== 'number' || !this.#written.has(item)) return item;
      const text = this.#written.get(item);
      if (text === undefined) throw ambiguous(item);
      kept.push(text);
      return `${mark}${kept.length - 1}`;
    });
    return marked.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_whole, index: string) => kept[Number(index)] as string);
  }
}

/** Numbers beyond 2^53 have at least 16 digits, or an exponent. */
const LARGE = /\d{16}|\d[eE]\+?\d{2}/;
/** A string or a number in a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

function largeNumbers(text: string): Map<number, string | undefined> {
  const found = new Map<number, string | undefined>();
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue;
    const number = Number(token);
    if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) continue;
    found.set(number, !found.has(number) || found.get(number) === token ? token : undefined);
  }
  return found;
}

function ambiguous(number: number): WebhookError {
  return new WebhookError({
    what: 'cannot keep the integers of this request exact',
    why: `several of them become ${number} in JavaScript`,
    remedy: 'store them as strings',
  });
}
