import type { FieldError, FieldPath } from '@kubewright/apimachinery';

/** Returns the error for a list that is too long: `Too many: 21: must have at most 20 items`. */
export function tooManyField(
  path: FieldPath,
  { count, max }: { readonly count: number; readonly max: number },
): FieldError {
  return {
    type: 'FieldValueTooMany',
    field: String(path),
    body: `Too many: ${count}: must have at most ${max} item${max === 1 ? '' : 's'}`,
  };
}
