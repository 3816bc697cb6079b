import { compilePattern, type Pattern } from './pattern.ts';

/** Keeps the patterns that were compiled last. Bounded, and owned by whoever made it: there is no global cache. */
export class PatternCache {
  readonly #patterns = new Map<string, Pattern>();
  readonly #capacity: number;

  /** @param capacity - patterns kept at most; the one unused for longest goes first */
  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  /** True if the pattern is kept compiled. */
  has(source: string): boolean {
    return this.#patterns.has(source);
  }

  /** The compiled pattern. @throws PatternError */
  get(source: string): Pattern {
    const known = this.#patterns.get(source);
    if (known !== undefined) {
      this.#patterns.delete(source);
      this.#patterns.set(source, known);
      return known;
    }
    const pattern = compilePattern(source);
    this.#patterns.set(source, pattern);
    if (this.#patterns.size > this.#capacity) {
      for (const oldest of this.#patterns.keys()) {
        this.#patterns.delete(oldest);
        break;
      }
    }
    return pattern;
  }
}
