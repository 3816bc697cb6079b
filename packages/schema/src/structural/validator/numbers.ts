import { goNumber, invalid } from '../field-problem.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Findings, fail, fieldOf, type Validate } from './findings.ts';

/** Compiles the checks of a number: its format, bounds and `multipleOf`. */
export function compileNumber(schema: JsonSchema, types: readonly string[]): Validate | undefined {
  const { maximum, minimum, multipleOf } = schema;
  const [type] = types;
  const format = types.length === 1 ? numericFormat(type as string, schema.format) : undefined;
  const counts = maximum !== undefined || minimum !== undefined || multipleOf !== undefined || format !== undefined;
  if (!counts && !types.includes('integer') && !types.includes('number')) return undefined;
  return (value, path, at) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return;
    at.matches++;
    if (!counts) return;
    if (format !== undefined && !format.fits(value)) {
      const text = `Checked value must be of type ${type} ${format.text} in ${path}`;
      at.problems.push(invalid('', '', text));
    }
    if (multipleOf !== undefined) checkMultiple(at, path, { value, multipleOf });
    // Like upstream, compare whole values as int64 and truncate the bound.
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    const bound = (limit: number): number => (isWhole ? Math.trunc(limit) : limit);
    if (minimum !== undefined) {
      const min = bound(minimum);
      if (schema.exclusiveMinimum === true ? value <= min : value < min) {
        const word = schema.exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
        fail(at, path, { value, text: `should be ${word} ${goNumber(min)}` });
      }
    }
    if (maximum !== undefined) {
      const max = bound(maximum);
      if (schema.exclusiveMaximum === true ? value >= max : value > max) {
        const word = schema.exclusiveMaximum === true ? 'less than' : 'less than or equal to';
        fail(at, path, { value, text: `should be ${word} ${goNumber(max)}` });
      }
    }
  };
}

interface NumericFormat {
  readonly text: string;
  fits(value: number | bigint): boolean;
}

function numericFormat(type: string, format: string | undefined): NumericFormat | undefined {
  if (type === 'integer') {
    const bits = format === 'int32' ? 31 : 63;
    const known = format === 'int32' || format === 'int64';
    return {
      text: known ? `with format ${format}` : '(default format)',
      // A bigint never fits in 32 bits, but always in 64 bits.
      fits: (value) =>
        typeof value === 'bigint' ? bits === 63 : Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits,
    };
  }
  if (type !== 'number' || format !== 'float') return undefined;
  return { text: 'with format float', fits: (value) => Math.abs(Number(value)) <= 3.4028234663852886e38 };
}

function checkMultiple(
  at: Findings,
  path: string,
  { value, multipleOf }: { readonly value: number | bigint; readonly multipleOf: number },
): void {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  const factor = isWhole ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
    at.problems.push(invalid(fieldOf(path), value, text));
    return;
  }
  if (!isMultiple(value, factor)) fail(at, path, { value, text: `should be a multiple of ${goNumber(factor)}` });
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
  return isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** True if a number is an integer within go-openapi's tolerance. */
function isNearlyInteger(value: number): boolean {
  const difference = Math.abs(value - Math.round(value));
  return difference === 0 || difference / Math.abs(value) < 1e-9;
}
