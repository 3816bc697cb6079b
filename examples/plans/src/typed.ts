import type { Parameter } from './api/v1/operator-version.ts';

/** Thrown if an instance cannot run; the message says why. */
export class InvalidInstance extends Error {}

/** A value of a parameter's type. */
export type Value = string | number | boolean;

/** The format of each type's values. All formats except strings are JSON. */
const formats = { string: /^/, integer: /^(0|-?[1-9]\d{0,14})$/, boolean: /^(true|false)$/ };

/** Parses a string as a value of the parameter's type. @throws InvalidInstance if the string has another format */
export function typed({ name, type = 'string' }: Parameter, text: string): Value {
  if (!formats[type].test(text)) throw new InvalidInstance(`the parameter ${name} is not a valid ${type}: "${text}"`);
  return type === 'string' ? text : (JSON.parse(text) as Value); // checked above
}
