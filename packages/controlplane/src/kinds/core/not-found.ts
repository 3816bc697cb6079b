import type { FieldError, FieldPath } from '@kubewright/apimachinery';
import { quote } from '@kubewright/apimachinery/internal';

/** Returns the error for a reference to a name that does not exist: `Not found: "x"`. */
export function notFound(path: FieldPath, name: string | undefined, detail = ''): FieldError {
  const shown = name === undefined ? 'null' : quote(name);
  return {
    type: 'FieldValueNotFound',
    field: String(path),
    body: `Not found: ${shown}${detail === '' ? '' : `: ${detail}`}`,
  };
}
