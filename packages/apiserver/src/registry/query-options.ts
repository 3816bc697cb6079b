import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { isTrue } from '../request-info/index.ts';
import { validateFieldManager } from './metadata-validation.ts';

/** The query parameters of a write request. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean | undefined;
}

const defaults: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined };

/**
 * Reads `dryRun`, `fieldManager`, `fieldValidation` and `force`.
 *
 * @param kind - the options type that upstream names in errors
 * @throws StatusError 422 if a parameter has an unsupported value
 */
export function readWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  options: { readonly apply?: boolean } = {},
): WriteOptions {
  if (query.size === 0 && options.apply !== true) return defaults;
  const errors: FieldError[] = [];
  const fieldManager = query.get('fieldManager') ?? '';
  const force = query.get('force');
  if (kind === 'PatchOptions') {
    if (options.apply === true) {
      if (fieldManager === '') errors.push(requiredField('fieldManager', 'is required for apply patch'));
    } else if (force !== null) {
      errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
    }
  }
  errors.push(...validateFieldManager(fieldManager));
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  errors.push(...validateDryRun(dryRun));
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push(unsupportedField('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation === '' ? 'Warn' : fieldValidation) as WriteOptions['fieldValidation'], // checked above
    force: force === null ? undefined : isTrue(force),
  };
}

/** Validates the values of `dryRun`. */
export function validateDryRun(dryRun: readonly string[]): readonly FieldError[] {
  return dryRun.some((value) => value !== 'All') ? [unsupportedField('dryRun', dryRun, ['All'])] : [];
}

/**
 * Parses an integer in a query as Go's `ParseInt` does.
 *
 * @throws StatusError 400
 */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const exact = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(64, exact) !== exact) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  // Clamped to the safe integers: larger values have no meaning.
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(exact)));
}
