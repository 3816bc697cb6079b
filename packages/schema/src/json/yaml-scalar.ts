import { BodyReadError } from './parsed-body.ts';

const namedScalars: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
const floatPattern = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const integerPattern = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;
const infinitePattern = /^([-+]?)\.(inf|Inf|INF)$/;

/**
 * Resolves a plain YAML scalar as the API server does: YAML 1.1 words (`yes`, `off`), octal `0777`, `1_000`, no base
 * 60. Dates stay text (go-yaml 2.4, as used by Kubernetes 1.36).
 *
 * @throws {@link BodyReadError} for infinity, NaN and integers that a double would round
 */
export function resolvePlainScalar(source: string): unknown {
  const named = namedScalars.get(source);
  if (named !== undefined) return named;
  if (!/^[-+.0-9]/.test(source)) return source;
  if (infinitePattern.test(source)) {
    throw new BodyReadError('number', `json: unsupported value: ${source.startsWith('-') ? '-Inf' : '+Inf'}`);
  }
  if (/^\.(nan|NaN|NAN)$/.test(source)) throw new BodyReadError('number', 'json: unsupported value: NaN');
  if (source.startsWith('.')) return floatPattern.test(source) ? Number(source) : source;
  const plain = source.replaceAll('_', '');
  const integer = integerPattern.exec(plain);
  if (integer !== null) return integerValue(integer[1] === '-', integer[2] as string);
  if (floatPattern.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return value;
  }
  return source;
}

/**
 * Maximum number of digits of a 64-bit integer in any base. Longer integers are parsed as doubles, which takes linear
 * time.
 */
const maxDigits = 70;

function integerValue(negative: boolean, digits: string): number | bigint {
  const octal = /^0[0-7]+$/.test(digits);
  const source = octal ? `0o${digits.slice(1)}` : digits;
  if (digits.length > maxDigits) return negative ? -Number(source) : Number(source);
  const magnitude = BigInt(source);
  const exact = negative ? -magnitude : magnitude;
  const value = Number(exact);
  if (!Number.isSafeInteger(value) && BigInt.asIntN(64, exact) === exact) return exact;
  if (magnitude <= 0xffffffffffffffffn && BigInt(value) !== exact) {
    throw new BodyReadError(
      'number',
      `the number ${exact} cannot be represented exactly: integers beyond 2^53 would be rounded; use a string`,
    );
  }
  return value === 0 ? 0 : value;
}
