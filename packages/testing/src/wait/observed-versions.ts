import { lineDiff } from '../diff/line-diff.ts';
import { textOf } from '../diff/text-of.ts';
import { titleOf } from '../matchers/matcher.ts';

/** Number of versions kept per object. */
const kept = 5;
/** Number of objects whose versions are kept; a list of thousands would make the error too long. */
const maxObjects = 5;

interface Version {
  readonly atMs: number;
  readonly object: ObservedObject;
}

interface ObservedObject {
  readonly metadata: { readonly uid?: string; readonly resourceVersion: string };
}

/** The last versions of the objects that a repeated read has returned. */
export class ObservedVersions {
  readonly #versions = new Map<string, Version[]>();

  /** Records the objects in a value: an object, a list of objects, or a list response. */
  note(value: unknown, atMs: number): void {
    for (const object of objectsIn(value)) {
      const key = object.metadata.uid ?? titleOf(object);
      const versions = this.#versions.get(key) ?? [];
      if (versions.at(-1)?.object.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      if (versions.length === 0 && this.#versions.size === maxObjects) continue;
      this.#versions.set(key, [...versions, { atMs, object }].slice(-kept));
    }
  }

  /** Describes the versions of each object: the oldest version in full, later versions as differences. */
  describe(): string {
    return [...this.#versions.values()].map(describeOne).join('\n\n');
  }
}

function describeOne(versions: readonly Version[]): string {
  const texts = versions.map(({ object }) => textOf(withoutManagedFields(object)));
  const parts = versions.map(({ atMs, object }, index) => {
    const before = texts[index - 1];
    const text = texts[index] ?? '';
    const body = before === undefined ? text : lineDiff(before, text);
    return `${(atMs / 1000).toFixed(2)} s, resourceVersion ${object.metadata.resourceVersion}\n${indented(body)}`;
  });
  const last = versions.length === 1 ? 'last version' : `last ${versions.length} versions`;
  return `${titleOf(versions[0]?.object)}, ${last} read:\n${indented(parts.join('\n'))}`;
}

function objectsIn(value: unknown): readonly ObservedObject[] {
  if (isObserved(value)) return [value];
  const items = Array.isArray(value) ? value : (value as { readonly items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? items.filter(isObserved) : [];
}

function isObserved(value: unknown): value is ObservedObject {
  const { metadata, items } = (value ?? {}) as {
    readonly metadata?: Partial<ObservedObject['metadata']>;
    readonly items?: unknown;
  };
  return typeof metadata?.resourceVersion === 'string' && items === undefined;
}

function withoutManagedFields(object: ObservedObject): unknown {
  const { managedFields: _managedFields, ...metadata } = object.metadata as { readonly managedFields?: unknown };
  return { ...object, metadata };
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
