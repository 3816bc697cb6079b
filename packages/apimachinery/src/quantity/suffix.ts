/** Notation of an amount, preserved when the amount is formatted: `100m`, `1Gi`, `1e3`. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

const decimal: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binary: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const decimalByExponent = invert(decimal);
const binaryByExponent = invert(binary);

/** Maximum exponent: larger numbers would use too much memory. */
const maxExponent = 10_000;

/** Returns the exponent of a suffix: a power of two for binary suffixes, otherwise a power of ten. */
export function parseSuffix(
  suffix: string,
): { readonly exponent: number; readonly format: QuantityFormat } | undefined {
  const ten = decimal.get(suffix);
  if (ten !== undefined) return { exponent: ten, format: 'decimal' };
  const two = binary.get(suffix);
  if (two !== undefined) return { exponent: two, format: 'binary' };
  if (!/^[eE][-+]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > maxExponent ? undefined : { exponent, format: 'exponent' };
}

/** Formats a suffix; an exponent without a letter is written as a number. */
export function constructSuffix(exponent: number, format: QuantityFormat): string {
  const letters = format === 'decimal' ? decimalByExponent : format === 'binary' ? binaryByExponent : undefined;
  return letters?.get(exponent) ?? (exponent === 0 ? '' : `e${exponent}`);
}

function invert(map: ReadonlyMap<string, number>): ReadonlyMap<number, string> {
  return new Map([...map].map(([letter, exponent]) => [exponent, letter]));
}
