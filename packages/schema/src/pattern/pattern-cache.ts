import { compilePattern, type Pattern } from './pattern.ts';

/**
 * Caches the most recently used patterns, up to a capacity. There is no global cache: create a cache and pass it to the
 * functions that need it.
 *
 * @example
 * ```ts
 * const patterns = new PatternCache(100);
 * const isName = patterns.get('^[a-z]+$').test('web');
 * ```
 */
export class PatternCache {
  readonly #patterns = new Map<string, Pattern>();
  readonly #capacity: number;

  /** @param capacity - maximum number of patterns; the least recently used pattern is evicted first */
  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  /** True if the compiled pattern is cached. */
  has(source: string): boolean {
    return this.#patterns.has(source);
  }

  /** Returns the compiled pattern. @throws PatternError */
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
