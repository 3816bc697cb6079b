import { type FieldSet, FieldSetBuilder, PathElement } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import { type ApplyType, formOf, type ListType, type MapType, valueTypeOrDeduced } from './apply-type.ts';
import { elementOf } from './list-elements.ts';

/**
 * Returns the paths in an object: every leaf, every list element, every key of a plain map (`structured-merge-diff` v6,
 * `typed/tofieldset.go`).
 */
export function fieldSetOf(type: ApplyType, object: unknown): FieldSet {
  const walk = new FieldSetWalk();
  walk.visit(type, object);
  return walk.builder.build();
}

class FieldSetWalk {
  readonly builder = new FieldSetBuilder();
  private readonly path: PathElement[] = [];

  visit(type: ApplyType, value: unknown): void {
    const form = formOf(type, value);
    if (form === 'map' && type.map !== undefined) this.map(type.map, value);
    else if (form === 'list' && type.list !== undefined) this.list(type.list, value);
    else this.builder.add(this.path);
  }

  private map(type: MapType, value: unknown): void {
    if (type.atomic) {
      this.builder.add(this.path);
      return;
    }
    if (!isRecord(value)) return;
    for (const key of Object.keys(value)) {
      const item = value[key];
      this.path.push(PathElement.field(key));
      this.visit(valueTypeOrDeduced(type, key), item);
      const empty = item === null || (isRecord(item) && Object.keys(item).length === 0);
      if (empty || !type.fields.has(key)) this.builder.add(this.path);
      this.path.pop();
    }
  }

  private list(type: ListType, value: unknown): void {
    if (type.atomic) {
      this.builder.add(this.path);
      return;
    }
    if (!Array.isArray(value)) return;
    const elements = value.map((item) => elementOf(type, item));
    const times = new Map<PathElement, number>();
    for (const element of elements) times.set(element, (times.get(element) ?? 0) + 1);
    for (let i = 0; i < elements.length; i++) {
      const element = elements[i] as PathElement; // within bounds
      this.path.push(element);
      // Elements that occur more than once are owned together.
      if (times.get(element) === 1) this.visit(type.element, value[i]);
      this.builder.add(this.path);
      this.path.pop();
    }
  }
}
