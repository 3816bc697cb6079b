import type { Random } from '@kubewright/apimachinery';
import { oddValues } from '../parity/odd-values.ts';

/** Values that are invalid or unusual for almost any field. */
const values: readonly unknown[] = [
  ...new Set(Object.values(oddValues).flat()),
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
  '9223372036854775808',
  -9_223_372_036_854_775_808n,
  18_446_744_073_709_551_616n,
  1e308,
  '(a+)+$',
  '{{',
  Array.from({ length: 200 }, () => 'a'),
  Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 'v'])),
];

const names: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '$patch',
  '$retainKeys',
  'a.b/c',
  'ü',
  '0',
];

/** Changes values and bytes at random. The changes only depend on the random numbers, so a seed reproduces them. */
export class Mutations {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)] as T;
  }

  /** Returns a copy of an object in which a few fields are changed, removed, renamed or nested. */
  object(original: object): unknown {
    const copy = structuredClone(original);
    const count = Math.floor(this.#random.next() * 4);
    for (let index = 0; index < count; index++) this.#change(copy);
    return this.chance(0.01) ? this.pick(values) : copy;
  }

  /** Returns a copy in which bytes are flipped, inserted, removed or repeated. */
  bytes(original: Uint8Array): Uint8Array {
    const at = Math.floor(this.#random.next() * (original.length + 1));
    const before = original.subarray(0, at);
    const odd = Uint8Array.from({ length: 1 + Math.floor(this.#random.next() * 8) }, () => this.#random.next() * 256);
    const further = Math.min(original.length, at + odd.length);
    switch (this.pick(['flip', 'insert', 'cut', 'remove', 'repeat'])) {
      case 'flip':
        return Buffer.concat([before, odd, original.subarray(further)]);
      case 'insert':
        return Buffer.concat([before, odd, original.subarray(at)]);
      case 'cut':
        return before;
      case 'remove':
        return Buffer.concat([before, original.subarray(further)]);
      default:
        return Buffer.concat([original, original.subarray(at)]);
    }
  }

  #change(root: object): void {
    let place = root as Record<string, unknown>;
    for (;;) {
      const keys = Object.keys(place);
      const key = keys.length === 0 || this.chance(0.05) ? this.pick(names) : this.pick(keys);
      const below = Object.hasOwn(place, key) ? place[key] : undefined;
      if (typeof below === 'object' && below !== null && this.chance(0.8)) {
        place = below as Record<string, unknown>;
        continue;
      }
      this.#changeAt(place, key);
      return;
    }
  }

  #changeAt(place: Record<string, unknown>, key: string): void {
    const old = Object.hasOwn(place, key) ? place[key] : undefined;
    switch (this.pick(['replace', 'replace', 'remove', 'rename', 'wrap', 'add'])) {
      case 'remove':
        delete place[key];
        break;
      case 'rename':
        delete place[key];
        set(place, this.pick(names), old);
        break;
      case 'wrap':
        set(place, key, this.chance(0.5) ? [old] : nested(old, this.chance(0.05) ? 600 : 3));
        break;
      case 'add':
        set(place, this.pick(names), structuredClone(this.pick(values)));
        break;
      default:
        set(place, key, structuredClone(this.pick(values)));
    }
  }
}

/** Sets an own property, even if its name is `__proto__`. */
function set(place: object, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, configurable: true, enumerable: true, writable: true });
}

function nested(value: unknown, levels: number): unknown {
  let all = value;
  for (let level = 0; level < levels; level++) all = { a: all };
  return all;
}
