import { type FieldSet, FieldSetBuilder, type PathElement } from '@kubewright/apimachinery/internal';
import type { ApplyType, MapType } from './apply-type.ts';

/**
 * Reconciles a manager's set with a schema that has changed since the set was written: if a list or map has become atomic, an
 * owner of any part of it becomes the owner of the whole. Returns the same set if nothing changed (`structured-merge-diff` v6,
 * `typed/reconcile_schema.go`).
 */
export function reconcileWithSchema(type: ApplyType, set: FieldSet): FieldSet {
  const atomic: (readonly PathElement[])[] = [];
  visit(type, { set, path: [], ownedAsOne: false, atomic });
  if (atomic.length === 0) return set;
  const builder = new FieldSetBuilder();
  for (const path of atomic) builder.add(path);
  const changed = builder.build();
  return set.recursiveDifference(changed).union(changed);
}

interface Walk {
  readonly set: FieldSet;
  readonly path: PathElement[];
  /** True if the path itself is in the set and nothing below it is. */
  readonly ownedAsOne: boolean;
  readonly atomic: (readonly PathElement[])[];
}

function visit(type: ApplyType, { set, path, ownedAsOne, atomic }: Walk): void {
  const { map, list } = type;
  if (map !== undefined) {
    if (map.isDeduced) return;
    if (map.atomic) {
      if (!ownedAsOne && !set.isEmpty) atomic.push([...path]);
      return;
    }
  } else if (type.scalar !== undefined || list === undefined) {
    return;
  } else if (list.atomic) {
    if (!ownedAsOne) atomic.push([...path]);
    return;
  }
  for (const element of set.elements()) {
    const next = map !== undefined ? fieldType(map, element) : list?.element;
    if (next === undefined || (next.map === undefined && next.scalar !== undefined)) continue;
    const below = set.child(element);
    path.push(element);
    visit(next, { set: below, path, ownedAsOne: below.isEmpty && set.has([element]), atomic });
    path.pop();
  }
}

function fieldType(map: MapType, element: PathElement): ApplyType | undefined {
  return element.startsWith('f:') ? map.valueType(element.slice(2)) : undefined;
}
