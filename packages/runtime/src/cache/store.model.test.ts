import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListSplitter } from '../scan/list-splitter.ts';
import { runsAtScale, timeoutAtScale } from '../testdata/model-scale.ts';
import { Store } from './store.ts';

// Compares the store with a map of objects. Not covered: sizes that take long to build, such as slabs of a megabyte
// (store.test.ts covers these).

interface Thing extends KubernetesObject {
  readonly spec?: unknown;
}
const Thing: Kind<Thing> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

type Command =
  | { readonly type: 'put' | 'remove' | 'read'; readonly key: number; readonly spec: unknown }
  | { readonly type: 'old'; readonly key: number }
  | { readonly type: 'list'; readonly keep: readonly boolean[]; readonly cuts: readonly number[] };

/** JSON values after a round trip, because JSON has no -0. */
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map((value) => parseExactJson(JSON.stringify(value)));

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('put' as const, 'put' as const, 'remove' as const, 'read' as const),
      key: fc.nat(5),
      spec: json,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('old' as const), key: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('list' as const),
      keep: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      cuts: fc.array(fc.nat(200), { maxLength: 6 }),
    }),
  },
);

const colors = ['red', 'blue'];
const keyOf = (key: number): { namespace: string; name: string } => ({ namespace: `n${key % 2}`, name: `t${key}` });
const mine = { manager: 'me', operation: 'Apply', fieldsV1: { 'f:spec': {} } };
const others = { manager: 'kubectl "x"', operation: 'Update', fieldsV1: { 'f:x': { '.': {} } } };

function thing(key: number, version: number, spec: unknown): Thing {
  const labels = { color: colors[version % 2]! };
  const metadata = { ...keyOf(key), uid: `u${key}`, resourceVersion: String(version), labels };
  const managedFields = version % 3 === 0 ? [others, mine] : version % 3 === 1 ? [others] : undefined;
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { ...metadata, ...(managedFields && { managedFields }) } as Thing['metadata'],
    spec,
  };
}

/** Returns the object as the store reads it: with only the manager's own managedFields entries. */
function kept(object: Thing): unknown {
  const { managedFields, ...metadata } = object.metadata;
  if (!managedFields) return object;
  return {
    ...object,
    metadata: { ...metadata, managedFields: managedFields.filter(({ manager }) => manager === 'me') },
  };
}

/** Puts and removes objects as a reflector does. */
interface Subject {
  put(object: Thing): void;
  remove(key: number): void;
  list(objects: readonly Thing[], cuts: readonly number[]): void;
  all(): readonly unknown[];
  byColor(color: string): readonly string[];
}

function real(): Subject {
  const indexes = { color: (view: { labels: Readonly<Record<string, string>> }) => [view.labels['color'] ?? ''] };
  const store = new Store<Thing>({ kind: Thing, ownManagers: new Set(['me']), indexes });
  return {
    put: (object) => {
      const bytes = Buffer.from(`  ${stringifyJson(object)}`);
      store.put(bytes, 2, bytes.length);
    },
    remove: (key) => void store.remove(keyOf(key).namespace, keyOf(key).name),
    list: (objects, cuts) => {
      store.beginListing();
      const splitter = new ListSplitter((bytes, start, end) => void store.put(bytes, start, end));
      const body = Buffer.from(
        stringifyJson({ kind: 'ThingList', items: objects, metadata: { resourceVersion: '9' } }),
      );
      const ends = [...new Set(cuts.map((cut) => cut % body.length)), body.length].sort((a, b) => a - b);
      let at = 0;
      for (const end of ends) {
        splitter.push(body.subarray(at, end));
        at = end;
      }
      splitter.finish();
      store.endListing();
    },
    all: () => store.entries().map((entry) => entry.object),
    byColor: (color) => [...(store.indexed('color', color) ?? [])].map(({ name }) => name).sort(),
  };
}

type Flaw =
  | 'keeps what a listing does not show'
  | 'takes older versions'
  | 'forgets to take a replaced object from its index';

function naive(flaw: Flaw): () => Subject {
  return () => {
    const objects = new Map<string, Thing>();
    const index = new Map<string, Set<string>>(colors.map((color) => [color, new Set()]));
    const drop = (name: string): void =>
      void (
        flaw !== 'forgets to take a replaced object from its index' && index.forEach((each) => void each.delete(name))
      );
    const put = (object: Thing): void => {
      const name = object.metadata.name!;
      const old = objects.get(name);
      if (
        flaw !== 'takes older versions' &&
        old &&
        Number(old.metadata.resourceVersion) > Number(object.metadata.resourceVersion)
      )
        return;
      drop(name);
      objects.set(name, object);
      index.get(object.metadata.labels!['color']!)!.add(name);
    };
    const remove = (name: string): void => {
      objects.delete(name);
      for (const each of index.values()) each.delete(name);
    };
    return {
      put,
      remove: (key) => remove(keyOf(key).name),
      list: (listed) => {
        const names = new Set(listed.map(({ metadata }) => metadata.name));
        if (flaw !== 'keeps what a listing does not show')
          for (const name of [...objects.keys()]) if (!names.has(name)) remove(name);
        for (const each of listed) put(each);
      },
      all: () => [...objects.values()].sort(byKey).map(kept),
      byColor: (color) => [...index.get(color)!].sort(),
    };
  };
}

function byKey(a: Thing, b: Thing): number {
  const text = ({ metadata }: Thing): string => `${metadata.namespace}/${metadata.name}`;
  return text(a) < text(b) ? -1 : 1;
}

function comparison(make: () => Subject): fc.IProperty<[Command[]]> {
  return fc.property(fc.array(command, { minLength: 3, maxLength: 30 }), (commands) => {
    const subject = make();
    const model = new Map<string, Thing>();
    let version = 10;
    for (const each of commands) {
      if (each.type === 'put') {
        const object = thing(each.key, ++version, each.spec);
        model.set(keyOf(each.key).name, object);
        subject.put(object);
      } else if (each.type === 'old')
        subject.put(thing(each.key, Number(model.get(keyOf(each.key).name)?.metadata.resourceVersion ?? 0) - 1, 'old'));
      else if (each.type === 'remove') {
        model.delete(keyOf(each.key).name);
        subject.remove(each.key);
      } else if (each.type === 'list') {
        const listed = [...model.values()].filter((_, i) => each.keep[i]);
        for (const name of [...model.keys()])
          if (!listed.some(({ metadata }) => metadata.name === name)) model.delete(name);
        subject.list(listed, each.cuts);
      }
      // The store treats any version of a missing object as new, so drop the object on both sides.
      if (each.type === 'old' && !model.has(keyOf(each.key).name)) subject.remove(each.key);
      expect(subject.all()).toEqual([...model.values()].sort(byKey).map(kept));
      for (const color of colors) {
        const wanted = [...model.values()].filter(({ metadata }) => metadata.labels?.['color'] === color);
        expect(subject.byColor(color)).toEqual(wanted.map(({ metadata }) => metadata.name!).sort());
      }
    }
  });
}

describe('Store', () => {
  it(
    'holds every object that was put, for any bytes and any chunk boundaries',
    () => {
      fc.assert(comparison(real), { numRuns: runsAtScale(10_000) });
    },
    timeoutAtScale(120_000),
  );

  it.each<Flaw>([
    'keeps what a listing does not show',
    'takes older versions',
    'forgets to take a replaced object from its index',
  ])(
    'differs from a store that %s',
    (flaw) => {
      const { failed, numRuns } = fc.check(comparison(naive(flaw)), { numRuns: 1_000 });
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
    60_000,
  );
});
