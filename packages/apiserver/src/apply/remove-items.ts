import { type FieldSet, FieldSetBuilder, PathElement } from '@kubewright/apimachinery/internal';
import { isRecord, setOwn } from '@kubewright/schema/internal';
import { type ApplyType, formOf, type MapType, valueTypeOrDeduced } from './apply-type.ts';
import { elementOf } from './list-elements.ts';

/**
 * Removes the fields and list elements of a set from an object (`structured-merge-diff` v6, `typed/remove.go`),
 * together with containers that become empty. Returns `undefined` if nothing is left. The result shares structure with
 * the input.
 */
export function removeItems(type: ApplyType, value: unknown, items: FieldSet): unknown {
  const form = formOf(type, value);
  if (form === 'map' && type.map !== undefined) {
    if (!isRecord(value) || type.map.atomic) return undefined;
    return removeFromMap(type.map, value, items);
  }
  if (form !== 'list' || type.list === undefined) return value;
  if (!Array.isArray(value) || type.list.atomic) return undefined;
  const kept: unknown[] = [];
  for (const item of value) {
    const element = elementOf(type.list, item);
    if (items.has([element])) continue;
    const below = items.child(element);
    kept.push(below.isEmpty ? item : (removeItems(type.list.element, item, below) ?? null));
  }
  return kept.length === 0 ? undefined : kept;
}

function removeFromMap(type: MapType, record: Readonly<Record<string, unknown>>, items: FieldSet): unknown {
  const result: Record<string, unknown> = {};
  let size = 0;
  for (const key of Object.keys(record)) {
    const element = PathElement.field(key);
    if (items.has([element])) continue;
    const below = items.child(element);
    const value = below.isEmpty ? record[key] : removeItems(valueTypeOrDeduced(type, key), record[key], below);
    // Upstream sets emptied values to null. Decoding drops the null for built-in kinds, but custom resources keep it.
    setOwn(result, key, value === undefined ? null : value);
    size++;
  }
  return size === 0 ? undefined : result;
}

/**
 * Returns the set plus every declared field on the path to one of its members, so that structures are removed or kept as a whole.
 */
export function withNamedFields(type: ApplyType | undefined, set: FieldSet): FieldSet {
  const builder = new FieldSetBuilder();
  addNamed(type, set, { builder, path: [] });
  return builder.build();
}

function addNamed(
  type: ApplyType | undefined,
  set: FieldSet,
  { builder, path }: { readonly builder: FieldSetBuilder; readonly path: PathElement[] },
): void {
  for (const element of set.elements()) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const below = set.child(element);
    path.push(element);
    if (set.has([element]) || (name !== undefined && type?.map?.fields.has(name) === true)) builder.add(path);
    if (!below.isEmpty) {
      const next =
        name !== undefined ? type?.map?.valueType(name) : element.startsWith('k:') ? type?.list?.element : undefined;
      addNamed(next, below, { builder, path });
    }
    path.pop();
  }
}
