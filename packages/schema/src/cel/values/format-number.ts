/** Formats a double as Go's `strconv.FormatFloat(value, 'g', -1, 64)` does: `1.5`, `1e+06`, `+Inf`. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return formatFixed(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${Math.abs(power).toString().padStart(2, '0')}`;
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** Formats a double without an exponent, with the fewest digits that identify it. */
export function formatFixed(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return Object.is(value, -0) ? '-0' : text;
  const [, sign, whole, fraction = '', exponent] = match as unknown as [string, string, string, string?, string?];
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.slice(0, point).padEnd(point, '0') + (point < digits.length ? `.${digits.slice(point)}` : '');
}
