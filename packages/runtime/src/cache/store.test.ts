import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { ListSplitter } from '../scan/list-splitter.ts';
import { Store } from './store.ts';

interface Thing extends KubernetesObject {
  readonly data?: unknown;
}
const Thing: Kind<Thing> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

function thing(name: string, extra: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): Thing {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
    ...extra,
  };
}

function put(store: Store<Thing>, object: unknown): ReturnType<Store<Thing>['put']> {
  const bytes = Buffer.from(JSON.stringify(object));
  return store.put(bytes, 0, bytes.length);
}

describe('Store', () => {
  it('returns metadata without decoding, and the object frozen', () => {
    const store = new Store<Thing>({ kind: Thing });
    const object = thing(
      'a',
      { data: { 'ünï"\\': ['\u2028', null] } },
      {
        labels: { app: 'wéb' },
        annotations: { note: 'x'.repeat(10) },
        generation: 3,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'u', controller: true }],
      },
    );
    put(store, object);
    const entry = store.get('default', 'a')!;
    expect(entry.labels).toEqual({ app: 'wéb' });
    expect(entry.annotations).toEqual({ note: 'xxxxxxxxxx' });
    expect(entry.generation).toBe(3);
    expect(entry.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(entry.ownerReferences[0]?.name).toBe('o');
    expect(entry.object).toEqual(object);
    expect(entry.object).toBe(entry.object);
    expect(Object.isFrozen((entry.object.data as { x: unknown })['ünï"\\' as 'x'])).toBe(true);
  });

  it('adds apiVersion and kind to items of built-in lists', () => {
    const store = new Store<Thing>({ kind: Thing });
    put(store, { metadata: { name: 'a', uid: '1', resourceVersion: '1' } });
    expect(store.get('', 'a')!.object).toMatchObject({ apiVersion: 'v1', kind: 'Thing' });
  });

  it("cuts other managers' managedFields and keeps its own, wherever they are in the metadata", () => {
    const store = new Store<Thing>({ kind: Thing, ownManagers: new Set(['me', 'me-too']) });
    const mine = { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': {} } };
    const second = { operation: 'Apply', manager: 'me-too' };
    const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:x': { '.': {} } } }, mine, second];
    const metadata = { labels: { a: 'b' }, managedFields, name: 'a', namespace: 'n', resourceVersion: '7', uid: 'u' };
    put(store, { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, deletionTimestamp: 'now' }, data: 1 });
    const entry = store.get('n', 'a')!;
    expect(entry.labels).toEqual({ a: 'b' });
    expect(entry.deletionTimestamp).toBe('now');
    expect(entry.object.metadata.managedFields).toEqual([mine, second]);
    expect(entry.object.data).toBe(1);
  });

  it('recognizes a known version and replaces an older one', () => {
    const store = new Store<Thing>({ kind: Thing });
    const first = put(store, thing('a'));
    expect(first.old).toBeUndefined();
    const again = put(store, thing('a'));
    expect(again.entry).toBe(again.old);
    const next = put(store, thing('a', { data: 2 }, { resourceVersion: '2' }));
    expect(next.old).toBe(first.entry);
    expect(next.old?.object.data).toBeUndefined();
    expect(store.size).toBe(1);
  });

  it('removes objects that a list does not contain', () => {
    const store = new Store<Thing>({ kind: Thing });
    store.beginListing();
    put(store, thing('a'));
    put(store, thing('b'));
    expect(store.endListing()).toEqual([]);
    store.beginListing();
    put(store, thing('b'));
    expect(store.endListing().map((entry) => entry.name)).toEqual(['a']);
    expect(store.entries().map((entry) => entry.name)).toEqual(['b']);
  });

  it('keeps indexes current and survives an index function that throws', () => {
    const errors: string[] = [];
    const store = new Store<Thing>({
      kind: Thing,
      indexes: {
        app: (view) => (view.labels['app'] === undefined ? [] : [view.labels['app']]),
        bad: () => {
          throw new Error('no');
        },
      },
      onIndexError: (index) => errors.push(index),
    });
    put(store, thing('a', {}, { labels: { app: 'x' } }));
    put(store, thing('b', {}, { labels: { app: 'x' } }));
    put(store, thing('a', {}, { labels: { app: 'y' }, resourceVersion: '2' }));
    expect([...store.indexed('app', 'x')!].map((entry) => entry.name)).toEqual(['b']);
    store.remove('default', 'b');
    expect(store.indexed('app', 'x')!.size).toBe(0);
    expect(store.indexed('none', 'x')).toBeUndefined();
    expect(errors).toContain('bad');
  });

  it('keeps garbage small and every object intact while objects are rewritten', () => {
    const store = new Store<Thing>({ kind: Thing });
    const versions = new Map<string, string>();
    let seed = 1;
    const next = (limit: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % limit;
    };
    let early: ReturnType<typeof store.get>;
    for (let i = 0; i < 40_000; i++) {
      const name = `o${next(2_000)}`;
      const data = 'd'.repeat(next(2_000));
      versions.set(name, data);
      put(store, thing(name, { data }, { resourceVersion: String(i + 1) }));
      if (i === 0) early = store.get('default', name);
    }
    const { live, used } = store.memory;
    expect(used).toBeLessThan(live * 1.3);
    for (const [name, data] of versions) expect(store.get('default', name)!.object.data).toBe(data);
    expect(early!.object.metadata.resourceVersion).toBe('1');
  });
});

describe('ListSplitter', () => {
  it('joins items that large chunks cut anywhere', () => {
    const items = Array.from({ length: 60 }, (_, i) => {
      return { metadata: { name: `"\\{${i}` }, text: '\\"}é'.repeat(i % 7 === 0 ? 4_000 : 40 * (i % 9)) };
    });
    const bytes = Buffer.from(JSON.stringify({ kind: 'List', items, metadata: { resourceVersion: '9' } }));
    for (const size of [8_191, 8_192, 8_193, 9_000, 16_384, 65_536]) {
      const found: unknown[] = [];
      const splitter = new ListSplitter((b, start, end) => found.push(JSON.parse(b.toString('utf8', start, end))));
      for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
      expect(splitter.finish()).toMatchObject({ metadata: { resourceVersion: '9' } });
      expect(found).toEqual(items);
    }
  });

  const items = [thing('a', { data: '}]{["\\"' }), thing('b', { data: { items: [1, '\\'] } }), thing('c')];
  const bodies = [
    JSON.stringify({ kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '9', continue: 'x' }, items }),
    JSON.stringify({ items, metadata: { resourceVersion: '9', continue: 'x', note: '"items":[' } }, undefined, 2),
  ];

  it('finds the same items and envelope for any chunk size', () => {
    for (const body of bodies) {
      const bytes = Buffer.from(body);
      for (let size = 1; size < bytes.length; size += size < 40 ? 1 : 37) {
        const found: unknown[] = [];
        const splitter = new ListSplitter((b, start, end) => found.push(JSON.parse(b.toString('utf8', start, end))));
        for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
        expect(splitter.finish()).toMatchObject({ items: [], metadata: { resourceVersion: '9', continue: 'x' } });
        expect(found).toEqual(items);
      }
    }
  });

  it('accepts null and missing items, and rejects a body that ends early', () => {
    for (const body of ['{"items":null,"metadata":{}}', '{"metadata":{"items":[1]}}', '{"items":[]}']) {
      const splitter = new ListSplitter(() => expect.unreachable());
      splitter.push(Buffer.from(body));
      expect(splitter.finish()).toBeTypeOf('object');
    }
    for (const body of ['{"items":[{"a":1}', '{"items":[', '{"items"', '']) {
      const splitter = new ListSplitter(() => {});
      splitter.push(Buffer.from(body));
      expect(() => splitter.finish()).toThrow(/unexpected JSON/);
    }
  });
});
