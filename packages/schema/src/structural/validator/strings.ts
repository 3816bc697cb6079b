import { tooLong, typeInvalid } from '../field-problem.ts';
import { formatCheck } from '../formats.ts';
import type { JsonSchema } from '../json-schema.ts';
import { fail, fieldOf, type Validate } from './findings.ts';

/** A compiled regular expression of a schema's `pattern`. */
export interface Pattern {
  test(text: string): boolean;
}

/** Compiles a pattern with RE2's rules; throws if the pattern is invalid. */
export type CompilePattern = (pattern: string) => Pattern;

/** Compiles the checks of a string: its length, pattern and format. */
export function compileString(schema: JsonSchema, compilePattern: CompilePattern): Validate | undefined {
  const { maxLength, minLength, pattern, format } = schema;
  const compiled = pattern === undefined || pattern === '' ? undefined : compilePattern(pattern);
  const untyped = schema.type === undefined || schema.type === '' || schema.type === 'string';
  const matchesFormat =
    format === undefined || !untyped || schema['x-kubernetes-int-or-string'] === true ? undefined : formatCheck(format);
  if (maxLength === undefined && minLength === undefined && compiled === undefined && matchesFormat === undefined) {
    return undefined;
  }
  return (value, path, at) => {
    if (typeof value !== 'string') return;
    if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength) {
      at.problems.push(tooLong(fieldOf(path), maxLength));
    } else if (minLength !== undefined && characters(value) < minLength) {
      fail(at, path, { value, text: `should be at least ${minLength} chars long` });
    } else if (compiled !== undefined && !compiled.test(value)) {
      fail(at, path, { value, text: `should match '${pattern}'` });
    }
    if (matchesFormat !== undefined && !matchesFormat(value)) {
      const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
      at.problems.push(typeInvalid(fieldOf(path), value, text));
    }
  };
}

/** Returns the number of code points, as Go counts the length. */
function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}
