/**
 * Generates random numbers and UUIDs. All of Kubewright's code uses an injected source, so a run can be replayed from a seed.
 *
 * @example
 * ```ts
 * const jitterMs = (random: Random, maxMs: number): number => random.next() * maxMs;
 * const delayMs = jitterMs(seededRandom(1), 1_000);
 * ```
 */
export interface Random {
  /** Returns a number, 0 ≤ n < 1. */
  next(): number;
  /** Generates a UUID (version 4). */
  uid(): string;
}

/**
 * Creates a repeatable {@link Random} (mulberry32) for tests and explorations. Not suitable for secrets.
 *
 * @param seed - any 32-bit integer; equal seeds give the same sequence.
 *
 * @example
 * ```ts
 * const random = seededRandom(42);
 * ```
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const hex = (digits: number): string => {
    let out = '';
    for (let i = 0; i < digits; i++) out += Math.floor(next() * 16).toString(16);
    return out;
  };
  const uid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(next() * 4)]}${hex(3)}-${hex(12)}`;
  return { next, uid };
}
