import { KubewrightError } from '../errors/kubewright-error.ts';
import { type FieldError, formatFieldErrors, invalidField, unsupportedField } from '../validation/field-error.ts';
import { FieldPath } from '../validation/field-path.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/names.ts';

/**
 * Thrown for a label selector that cannot be parsed or is invalid. The message matches the API server's.
 *
 * @example
 * ```ts
 * try {
 *   LabelSelector.parse('app in (web');
 * } catch (error) {
 *   if (error instanceof LabelSelectorError) console.error(`--selector: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
export class LabelSelectorError extends KubewrightError {
  override readonly name = 'LabelSelectorError';
  readonly code = 'KW1010';
}

/** Relation between a label's value and the values of a requirement. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted when parsed from text. */
  readonly values: readonly string[];
}

const operators: readonly string[] = ['in', 'notin', '=', '==', '!=', 'exists', '!', 'gt', 'lt'];

/** Validates a requirement and returns it. @throws {@link LabelSelectorError} */
export function labelRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const errors = [
    ...checkKey(key, FieldPath.of('key')),
    ...checkValues(operator, values),
    ...values.flatMap((value, index) => checkValue(value, FieldPath.of('values').index(index).key(key))),
  ];
  if (errors.length > 0) throw new LabelSelectorError({ what: formatFieldErrors(errors) });
  return requirement;
}

/** Returns the errors in a label key. Without a `place`, the errors show the location `<nil>`, as in upstream. */
export function checkKey(key: string, place: FieldPath | undefined): readonly FieldError[] {
  const faults = checkQualifiedName(key);
  return faults.length === 0 ? [] : [invalidField(place, key, faults.join('; '))];
}

/** True if the labels satisfy a requirement. */
export function matchesRequirement(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && compares(value, { operator, bound: values[0] });
  }
}

/** Formats a requirement so that it can be parsed again. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const sorted = [...values].sort();
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sorted.join(',')})`;
    case 'gt':
      return `${key}>${sorted.join(',')}`;
    case 'lt':
      return `${key}<${sorted.join(',')}`;
    default:
      return `${key}${operator}${sorted.join(',')}`;
  }
}

function checkValue(value: string, place: FieldPath): readonly FieldError[] {
  const faults = checkLabelValue(value);
  return faults.length === 0 ? [] : [invalidField(place, value, faults.join('; '))];
}

function checkValues(operator: LabelOperator, values: readonly string[]): readonly FieldError[] {
  const place = FieldPath.of('values');
  const fault = (detail: string): readonly FieldError[] => [invalidField(place, values, detail)];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? fault("for 'in', 'notin' operators, values set can't be empty") : [];
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : fault('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0 ? [] : fault('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1 ? [] : fault("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, index) =>
          integerOf(value) === undefined
            ? [invalidField(place.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer")]
            : [],
        ),
      ];
    default:
      return [unsupportedField(FieldPath.of('operator'), operator, operators)];
  }
}

function compares(
  value: string,
  options: { readonly operator: 'gt' | 'lt'; readonly bound: string | undefined },
): boolean {
  const left = integerOf(value);
  const right = options.bound === undefined ? undefined : integerOf(options.bound);
  if (left === undefined || right === undefined) return false;
  return options.operator === 'gt' ? left > right : left < right;
}

/** Parses a 64-bit integer as Go's ParseInt does. */
function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,64}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
}
