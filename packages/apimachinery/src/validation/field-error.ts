import { stringifyJson } from '../json/stringify-json.ts';
import type { StatusCause } from '../status/status.ts';
import { quote } from '../text/quote.ts';
import type { FieldPath } from './field-path.ts';

/** The kind of rule that a field violates: one of the API's cause reasons (meta/v1 `CauseType`). */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** An error in one field. Validators collect them in lists; `invalid` turns a list into a 422. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.containers[0].name`; `<nil>` if the error is about the whole object. */
  readonly field: string;
  /** The message without the field: `Invalid value: "x": must be lower case`. */
  readonly body: string;
}

/** A path, its text, or undefined for the whole object. */
export type FieldLocation = FieldPath | string | undefined;

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/**
 * Creates the error for a missing value: `Required value: <detail>`.
 *
 * @example
 * ```ts
 * const error = requiredField(FieldPath.of('spec', 'image'), '');
 * ```
 */
export function requiredField(field: FieldLocation, detail = ''): FieldError {
  return fieldError('FieldValueRequired', { field, detail });
}

/**
 * Creates the error for a value that is malformed or out of bounds: `Invalid value: "x": <detail>`.
 *
 * @example
 * ```ts
 * const errors: readonly FieldError[] = [invalidField(FieldPath.of('spec', 'replicas'), -1, 'must not be negative')];
 * ```
 */
export function invalidField(field: FieldLocation, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', { field, shown: show(value), detail });
}

/**
 * Creates the error for an unsupported value: `Unsupported value: "x": supported values: "a", "b"`. The supported values are
 * listed in the given order.
 *
 * @example
 * ```ts
 * const error = unsupportedField(FieldPath.of('spec', 'mode'), 'fast', ['safe', 'quick']);
 * ```
 */
export function unsupportedField(field: FieldLocation, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return fieldError('FieldValueNotSupported', { field, shown: show(value), detail });
}

/**
 * Creates the error for a well-formed value that is not allowed in this field: `Forbidden: <detail>`.
 *
 * @example
 * ```ts
 * const error = forbiddenField(FieldPath.of('spec', 'storage'), 'may not shrink');
 * ```
 */
export function forbiddenField(field: FieldLocation, detail: string): FieldError {
  return fieldError('FieldValueForbidden', { field, detail });
}

/**
 * Creates the error for a value that must be unique but occurs twice: `Duplicate value: "x"`.
 *
 * @example
 * ```ts
 * const error = duplicateField(FieldPath.of('spec', 'users'), 'app');
 * ```
 */
export function duplicateField(field: FieldLocation, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', { field, shown: show(value) });
}

/** Creates the error for a value that is too long, without showing the value: `Too long: may not be more than 63 bytes`. */
export function tooLongField(
  field: FieldLocation,
  options: { readonly max: number; readonly unit?: 'byte' | 'character' },
): FieldError {
  const { max, unit = 'byte' } = options;
  return fieldError('FieldValueTooLong', { field, detail: `may not be more than ${count(max, unit)}` });
}

/** Formats an error as the API does: `spec.replicas: Invalid value: -1: must be …`. */
function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.body}`;
}

/** Joins errors as the API does: a single error as is, several in brackets, without duplicates. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(formatFieldError))];
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

/** Returns the errors as causes of a `Status`. */
export function causesOf(errors: readonly FieldError[]): readonly StatusCause[] {
  return errors.map((error) => ({ reason: error.type, message: error.body, field: error.field }));
}

interface FieldErrorParts {
  readonly field: FieldLocation;
  readonly shown?: string;
  readonly detail?: string;
}

function fieldError(type: FieldErrorType, { field, shown, detail }: FieldErrorParts): FieldError {
  const head = shown === undefined ? titles[type] : `${titles[type]}: ${shown}`;
  return { type, field: field === undefined ? '<nil>' : String(field), body: detail ? `${head}: ${detail}` : head };
}

/** Quotes strings and formats everything else as JSON; Go shows a missing value as `null`. */
function show(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return stringifyJson(value);
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
