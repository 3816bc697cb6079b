import { byteLength } from '../text/byte-length.ts';
import { type FieldError, type FieldLocation, invalidField, tooLongField } from './field-error.ts';
import { checkQualifiedName } from './names.ts';

const maxBytes = 256 * 1024;

/** Returns every error in the keys and the total size of annotations (`ValidateAnnotations`, 1.36). */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  field: FieldLocation,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(annotations)) {
    // Upstream lowercases annotation keys before it checks that they are qualified names.
    for (const detail of checkQualifiedName(key.toLowerCase())) errors.push(invalidField(field, key, detail));
    size += key.length + (annotations[key]?.length ?? 0);
  }
  // A UTF-16 code unit takes at most three bytes, so only large maps need an exact measurement.
  if (size * 3 > maxBytes && totalBytes(annotations) > maxBytes) errors.push(tooLongField(field, { max: maxBytes }));
  return errors;
}

function totalBytes(map: Readonly<Record<string, string>>): number {
  let size = 0;
  for (const key of Object.keys(map)) size += byteLength(key) + byteLength(map[key] ?? '');
  return size;
}
