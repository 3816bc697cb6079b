import { FieldSet, FieldSetBuilder, PathElement, sameJson } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import { type ApplyType, type Form, formOf, type ListType, type MapType, valueTypeOrDeduced } from './apply-type.ts';
import { checkFieldSets, elementOf } from './list-elements.ts';

/** The difference between two objects. No path is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const same: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };

/** Compares two objects of a type; mirrors `structured-merge-diff` v6 (`typed/compare.go`). */
export function compareObjects(type: ApplyType, before: unknown, after: unknown): Comparison {
  if (before === after) return same;
  const walk = new CompareWalk();
  walk.compare(type, before, after);
  return walk.result();
}

class CompareWalk {
  private added: FieldSetBuilder | undefined;
  private modified: FieldSetBuilder | undefined;
  private removed: FieldSetBuilder | undefined;
  private readonly path: PathElement[] = [];

  result(): Comparison {
    return {
      added: this.added?.build() ?? FieldSet.empty,
      modified: this.modified?.build() ?? FieldSet.empty,
      removed: this.removed?.build() ?? FieldSet.empty,
    };
  }

  private add(): void {
    this.added ??= new FieldSetBuilder();
    this.added.add(this.path);
  }

  private modify(): void {
    this.modified ??= new FieldSetBuilder();
    this.modified.add(this.path);
  }

  private remove(): void {
    this.removed ??= new FieldSetBuilder();
    this.removed.add(this.path);
  }

  /** Compares two values; `undefined` means that the value is absent. */
  compare(type: ApplyType, before: unknown, after: unknown): void {
    if (before === after) return;
    let leaf: boolean;
    if (after === undefined) leaf = this.inForm(formOf(type, before), type, { before, after });
    else {
      const form = formOf(type, after);
      const old = before === undefined ? form : formOf(type, before);
      if (old !== form) this.inForm(old, type, { before, after });
      leaf = this.inForm(form, type, { before, after });
    }
    if (leaf) return;
    if (before === undefined) this.add();
    else if (after === undefined) this.remove();
  }

  /** Compares the values in the given form. Returns true if they are owned as a whole. */
  private inForm(form: Form, type: ApplyType, { before, after }: BeforeAndAfter): boolean {
    if (form === 'map' && type.map !== undefined) return this.map(type.map, { before, after });
    if (form === 'list' && type.list !== undefined) return this.list(type.list, { before, after });
    return this.leaf({ before, after });
  }

  private leaf({ before, after }: BeforeAndAfter): true {
    if (before === undefined) this.add();
    else if (after === undefined) this.remove();
    else if (!sameJson(before, after)) this.modify();
    return true;
  }

  private map(type: MapType, { before, after }: BeforeAndAfter): boolean {
    const left = isRecord(before) ? before : undefined;
    const right = isRecord(after) ? after : undefined;
    if (type.atomic || (isEmpty(left) && isEmpty(right))) return this.leaf({ before, after });
    if (left !== undefined) {
      for (const key of Object.keys(left)) {
        const value = right !== undefined && Object.hasOwn(right, key) ? right[key] : undefined;
        if (left[key] !== value) this.child(PathElement.field(key), valueTypeOrDeduced(type, key), left[key], value);
      }
    }
    if (right !== undefined) {
      for (const key of Object.keys(right)) {
        if (left !== undefined && Object.hasOwn(left, key)) continue;
        this.child(PathElement.field(key), valueTypeOrDeduced(type, key), undefined, right[key]);
      }
    }
    return false;
  }

  private child(element: PathElement, type: ApplyType, before: unknown, after: unknown): void {
    this.path.push(element);
    this.compare(type, before, after);
    this.path.pop();
  }

  private list(type: ListType, { before, after }: BeforeAndAfter): boolean {
    const left = Array.isArray(before) ? before : [];
    const right = Array.isArray(after) ? after : [];
    if (type.holdsFieldSets) for (const entries of [left, right]) checkFieldSets(entries);
    if (type.atomic || (left.length === 0 && right.length === 0)) return this.leaf({ before, after });
    const old = groupItems(type, left);
    const next = groupItems(type, right);
    for (const [element, items] of old) this.items(type, element, { old: items, next: next.get(element) ?? [] });
    for (const [element, items] of next) if (!old.has(element)) this.items(type, element, { old: [], next: items });
    return false;
  }

  /** Compares the list elements that share an identity. Duplicates are owned together, as a whole. */
  private items(
    type: ListType,
    element: PathElement,
    { old, next }: { readonly old: readonly unknown[]; readonly next: readonly unknown[] },
  ): void {
    if (old.length <= 1 && next.length <= 1) {
      this.child(element, type.element, old[0], next[0]);
      return;
    }
    if (old.length >= 2 && next.length >= 2) {
      if (!sameJson(old, next)) this.mark(element, () => this.modify());
    } else if (old.length >= 2) {
      if (next.length > 0) this.child(element, type.element, undefined, next[0]);
      this.mark(element, () => this.remove());
    } else {
      if (old.length > 0) this.child(element, type.element, old[0], undefined);
      this.mark(element, () => this.add());
    }
  }

  private mark(element: PathElement, insert: () => void): void {
    this.path.push(element);
    insert();
    this.path.pop();
  }
}

interface BeforeAndAfter {
  readonly before: unknown;
  readonly after: unknown;
}

function isEmpty(record: Readonly<Record<string, unknown>> | undefined): boolean {
  if (record === undefined) return true;
  for (const _ in record) return false;
  return true;
}

function groupItems(type: ListType, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = elementOf(type, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
