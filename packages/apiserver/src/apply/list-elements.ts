import { KubewrightError } from '@kubewright/apimachinery';
import { PathElement } from '@kubewright/apimachinery/internal';
import { isRecord, setOwn } from '@kubewright/schema/internal';
import type { ListType } from './apply-type.ts';

/** Thrown for a list element that cannot be identified by its keys or its value. The message matches upstream's. */
export class ElementError extends KubewrightError {
  readonly code = 'KW5008';

  constructor(what: string) {
    super({ what });
  }
}

/**
 * Returns the path element for an element of an associative list: its keys, with defaults for absent keys, or its value.
 *
 * @throws {@link ElementError}
 */
export function elementOf(list: ListType, item: unknown): PathElement {
  if (list.keys.length === 0) return setElement(item);
  if (item === null) throw new ElementError('associative list with keys may not have a null element');
  if (!isRecord(item)) throw new ElementError('associative list with keys may not have non-map elements');
  const keys: Record<string, unknown> = {};
  let found = false;
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.element.map?.fields.get(key)?.default;
    if (value === undefined) continue;
    setOwn(keys, key, value);
    found = true;
  }
  if (!found) {
    const names = list.keys.map((key) => JSON.stringify(key)).join(' ');
    throw new ElementError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return PathElement.key(keys);
}

/**
 * Checks that the entries of a pod template's `managedFields` have field sets that are objects. Decoding accepts any JSON.
 *
 * @throws {@link ElementError}
 */
export function checkFieldSets(entries: readonly unknown[]): void {
  for (const entry of entries) {
    const fields = isRecord(entry) ? entry['fieldsV1'] : undefined;
    if (fields !== undefined && fields !== null && !isRecord(fields)) throw new ElementError('expected map');
  }
}

function setElement(item: unknown): PathElement {
  if (item === null) throw new ElementError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ElementError('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new ElementError("associative list without keys has an element that's a map type");
  }
  return PathElement.value(item);
}
