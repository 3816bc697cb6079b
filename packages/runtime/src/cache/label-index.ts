import type { LabelSelector } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/** Maximum number of label keys with an index; lists by other keys read the labels of each object. */
const maxKeys = 8;
/** In smaller stores, reading all labels is fast enough. */
const minObjects = 256;

/** The objects with one value of a label. A single object is stored without a set, because values may be unique. */
type Bucket<T> = ObjectView<T> | Set<ObjectView<T>>;

/** An index of objects by label. Each label key is indexed when a list first selects by it. */
export class LabelIndex<T> {
  readonly #keys = new Map<string, Map<string, Bucket<T>>>();

  /**
   * Returns a superset of the matching objects, or undefined if the selector requires no indexed value or only values
   * so common that scanning all objects is as fast.
   */
  candidates(
    selector: LabelSelector,
    store: { readonly size: number; readonly all: () => Iterable<ObjectView<T>> },
  ): readonly ObjectView<T>[] | undefined {
    if (store.size < minObjects) return undefined;
    let best: { readonly buckets: readonly Bucket<T>[]; readonly size: number } | undefined;
    for (const requirement of selector.requirements) {
      if (!['=', '==', 'in', 'exists'].includes(requirement.operator)) continue;
      const values = this.#valuesOf(requirement.key, store.all);
      if (!values) continue;
      const buckets = bucketsOf(values, requirement);
      const size = buckets.reduce((sum, bucket) => sum + sizeOf(bucket), 0);
      if (!best || size < best.size) best = { buckets, size };
    }
    if (!best || best.size > store.size / 4) return undefined;
    return best.buckets.flatMap((bucket) => (bucket instanceof Set ? [...bucket] : [bucket]));
  }

  /** Adds an object to the existing indexes. */
  add(view: ObjectView<T>): void {
    if (this.#keys.size === 0) return;
    const labels = labelsOf(view);
    for (const [key, values] of this.#keys) put(values, { value: valueAt(labels, key), view });
  }

  /** Removes an object; its labels must still be readable. */
  remove(view: ObjectView<T>): void {
    if (this.#keys.size === 0) return;
    const labels = labelsOf(view);
    for (const [key, values] of this.#keys) take(values, { value: valueAt(labels, key), view });
  }

  #valuesOf(key: string, all: () => Iterable<ObjectView<T>>): Map<string, Bucket<T>> | undefined {
    const present = this.#keys.get(key);
    if (present || this.#keys.size >= maxKeys) return present;
    const values = new Map<string, Bucket<T>>();
    for (const view of all()) put(values, { value: valueAt(labelsOf(view), key), view });
    this.#keys.set(key, values);
    return values;
  }
}

function bucketsOf<T>(
  values: ReadonlyMap<string, Bucket<T>>,
  requirement: LabelSelector['requirements'][number],
): readonly Bucket<T>[] {
  if (requirement.operator === 'exists') return [...values.values()];
  return [...new Set(requirement.values)].flatMap((value) => values.get(value) ?? []);
}

function sizeOf<T>(bucket: Bucket<T>): number {
  return bucket instanceof Set ? bucket.size : 1;
}

function put<T>(
  values: Map<string, Bucket<T>>,
  { value, view }: { readonly value: string | undefined; readonly view: ObjectView<T> },
): void {
  if (value === undefined) return;
  const bucket = values.get(value);
  if (bucket === undefined) values.set(value, view);
  else if (bucket instanceof Set) bucket.add(view);
  else values.set(value, new Set([bucket, view]));
}

function take<T>(
  values: Map<string, Bucket<T>>,
  { value, view }: { readonly value: string | undefined; readonly view: ObjectView<T> },
): void {
  if (value === undefined) return;
  const bucket = values.get(value);
  if (bucket instanceof Set) {
    bucket.delete(view);
    if (bucket.size === 0) values.delete(value);
  } else if (bucket === view) values.delete(value);
}

function valueAt(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function labelsOf<T>(view: ObjectView<T>): Readonly<Record<string, string>> {
  try {
    return view.labels;
  } catch {
    // Malformed JSON is reported when the object itself is read.
    return {};
  }
}
