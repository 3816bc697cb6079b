/**
 * A number or a string, as in `targetPort: 80` and `maxUnavailable: 25%` (util/intstr `IntOrString`).
 *
 * @example
 * ```ts
 * const maxUnavailable: IntOrString = '25%';
 * const pods = scaledValue(maxUnavailable, { total: 10, roundUp: true });
 * ```
 */
export type IntOrString = number | string;

/** Options for {@link scaledValue}. */
export interface ScaledValueOptions {
  /** The number that corresponds to 100%. */
  readonly total: number;
  /** Rounds fractions up. @defaultValue false */
  readonly roundUp?: boolean;
}

/**
 * Resolves a number, or a percentage of `total`; returns undefined for text that is not a percentage.
 * Mirrors `intstr.GetScaledValueFromIntOrPercent`.
 *
 * @example
 * ```ts
 * const surge = scaledValue('25%', { total: 10, roundUp: true });
 * ```
 */
export function scaledValue(value: IntOrString, options: ScaledValueOptions): number | undefined {
  if (typeof value === 'number') return value;
  const match = /^([+-]?\d{1,10})%$/.exec(value);
  if (match === null) return undefined;
  const share = (Number(match[1]) * options.total) / 100;
  return options.roundUp === true ? Math.ceil(share) : Math.floor(share);
}
