/**
 * A problem with one field, in the API server's wording. It has the shape of a `StatusCause`: `reason` is machine-readable;
 * `message` does not contain the field's path, which {@link problemText} adds.
 *
 * @example
 * ```ts
 * const isRequired = ({ reason }: FieldProblem): boolean => reason === 'FieldValueRequired';
 * ```
 */
export interface FieldProblem {
  readonly reason: FieldProblemReason;
  readonly message: string;
  readonly field: string;
}

export type FieldProblemReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/**
 * Formats the problem as one line, e.g. `spec.replicas: Required value`.
 *
 * @example
 * ```ts
 * const problem: FieldProblem = { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.replicas' };
 * const text = problemText(problem); // spec.replicas: Required value
 * ```
 */
export function problemText(problem: FieldProblem): string {
  return `${problem.field}: ${problem.message}`;
}

export function required(field: string, detail = ''): FieldProblem {
  return problem('FieldValueRequired', field, withDetail('Required value', detail));
}

export function forbidden(field: string, detail: string): FieldProblem {
  return problem('FieldValueForbidden', field, withDetail('Forbidden', detail));
}

export function invalid(field: string, value: unknown, detail: string): FieldProblem {
  return problem('FieldValueInvalid', field, withDetail(`Invalid value: ${printValue(value)}`, detail));
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldProblem {
  return problem('FieldValueTypeInvalid', field, withDetail(`Invalid value: ${printValue(value)}`, detail));
}

export function duplicate(field: string, value: unknown): FieldProblem {
  return problem('FieldValueDuplicate', field, `Duplicate value: ${printValue(value)}`);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldProblem {
  const list = supported.map((item) => JSON.stringify(item)).join(', ');
  const detail = supported.length > 0 ? `supported values: ${list}` : '';
  return problem('FieldValueNotSupported', field, withDetail(`Unsupported value: ${printValue(value)}`, detail));
}

export function tooLong(field: string, max: number): FieldProblem {
  return problem('FieldValueTooLong', field, `Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`);
}

export function tooMany(
  field: string,
  { actual, max }: { readonly actual: number; readonly max: number },
): FieldProblem {
  const items = max === 1 ? 'item' : 'items';
  return problem('FieldValueTooMany', field, `Too many: ${actual}: must have at most ${max} ${items}`);
}

/** Appends a field to a path: `spec` + `replicas` → `spec.replicas`. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function problem(reason: FieldProblemReason, field: string, message: string): FieldProblem {
  return { reason, message, field: field === '' ? '<nil>' : field };
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}

function printValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return goNumber(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return sortedJson(value ?? null);
  }
}

/** Formats a number like Go's `%v`: numbers below 1e-4 have an exponent, and exponents have at least two digits. */
export function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  const text = magnitude !== 0 && magnitude < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Formats JSON like Go: keys are sorted, and `<`, `>`, `&` are escaped. Equal values yield equal strings. */
export function sortedJson(value: unknown): string {
  if (typeof value === 'string') return escapeHtml(JSON.stringify(value));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  const record = value as Record<string, unknown>; // the cast is safe: neither an array nor null
  const fields = Object.keys(record)
    .sort()
    .map((key) => `${escapeHtml(JSON.stringify(key))}:${sortedJson(record[key])}`);
  return `{${fields.join(',')}}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
