/** The minimum and maximum of a size or cost. {@link unbounded} stands for any number that does not fit in 64 bits. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

/** The bound of upstream's 64-bit integers. Values above 2^53 are inexact, but exceed every cost limit. */
export const unbounded: number = 2 ** 64;

export const nothing: Span = { min: 0, max: 0 };
export const anySize: Span = { min: 0, max: unbounded };

export function exactly(value: number): Span {
  return { min: value, max: value };
}

export function plus(a: Span, b: Span): Span {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function times(a: Span, b: Span): Span {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** Multiplies by a factor, rounded up. */
export function scaled(a: Span, factor: number): Span {
  return { min: capped(Math.ceil(a.min * factor)), max: capped(Math.ceil(a.max * factor)) };
}

/** Returns the smallest span that contains both arguments. */
export function around(a: Span, b: Span): Span {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

export function capped(value: number): number {
  return Math.min(value, unbounded);
}
