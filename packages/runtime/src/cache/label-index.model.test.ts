import { type Kind, type KubernetesObject, LabelSelector, VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjectView } from '../handler/object-view.ts';
import { CacheScope } from './cache-scope.ts';
import { DecodedView } from './decoded-view.ts';
import { LabelIndex } from './label-index.ts';
import { OwnWrites } from './own-writes.ts';
import { Store } from './store.ts';
import { StoreLister } from './store-lister.ts';

const Thing: Kind<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const objects = 300;

type Labels = Readonly<Record<string, string>>;

function thing(index: number, labels: Labels, version: number): KubernetesObject {
  const metadata = { namespace: `n${index % 3}`, name: `t${index}`, uid: `u${index}`, resourceVersion: `${version}` };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, labels } };
}

const keys = ['app', 'tier', 'constructor', ...Array.from({ length: 8 }, (_, i) => `key-${i}`)];
const labels: fc.Arbitrary<Labels> = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('a', 'b', 'c', 'd', 'e'), {
  maxKeys: 4,
});
const selector: fc.Arbitrary<string> = fc
  .array(
    fc
      .tuple(fc.constantFrom(...keys), fc.constantFrom('=a', '==b', '!=c', ' in (a,b,a)', ' notin (a)', '', ' in (z)'))
      .map(([key, rest]) => `${key}${rest}`),
    { minLength: 1, maxLength: 3 },
  )
  .map((terms) => terms.join(','));
const step = fc.oneof(
  fc.record({ type: fc.constant('put' as const), index: fc.nat(objects + 20), labels }),
  fc.record({ type: fc.constant('write' as const), index: fc.nat(objects + 20), labels }),
  fc.record({ type: fc.constant('remove' as const), index: fc.nat(objects) }),
  fc.record({ type: fc.constant('list' as const), selector, namespace: fc.constantFrom(undefined, 'n0', 'n9') }),
);

describe('LabelIndex', () => {
  it('finds the same objects as a full scan', () => {
    fc.assert(
      fc.property(fc.array(labels, { minLength: objects, maxLength: objects }), fc.array(step), (first, steps) => {
        const store = new Store<KubernetesObject>({ kind: Thing });
        const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
        const lister = new StoreLister({ kind: Thing, store, writes, scope: new CacheScope({}) });
        const put = (object: KubernetesObject): void => {
          const bytes = Buffer.from(JSON.stringify(object));
          store.put(bytes, 0, bytes.length);
        };
        let version = 1;
        for (const [index, each] of first.entries()) put(thing(index, each, version++));
        for (const each of steps) {
          if (each.type === 'put') put(thing(each.index, each.labels, version++));
          else if (each.type === 'remove') store.remove(`n${each.index % 3}`, `t${each.index}`);
          else if (each.type === 'write') {
            const stored = store.get(`n${each.index % 3}`, `t${each.index}`);
            writes.wrote(thing(each.index, each.labels, version++), { stored, inScope: true });
          } else {
            const namespace = each.namespace === undefined ? {} : { namespace: each.namespace };
            const parsed = LabelSelector.parse(each.selector);
            const expected = lister.views(namespace).filter((view) => parsed.matches(view.labels));
            const found = lister.views({ ...namespace, labelSelector: each.selector });
            expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
          }
        }
      }),
      { verbose: 1, numRuns: 60 },
    );
  });

  it('reads the labels of all objects once, and then only the labels of changed objects', () => {
    let reads = 0;
    const views: ObjectView<KubernetesObject>[] = Array.from({ length: 1000 }, (_, index) => {
      const view = new DecodedView<KubernetesObject>(thing(index, { app: `app-${index % 100}` }, index + 1));
      return Object.defineProperty(view, 'labels', {
        get: () => {
          reads++;
          return { app: `app-${index % 100}` };
        },
      });
    });
    const index = new LabelIndex<KubernetesObject>();
    const find = () => index.candidates(LabelSelector.parse('app=app-7'), { size: 1000, all: () => views });
    expect(find()).toHaveLength(10);
    expect(reads).toBe(1000);
    expect(find()).toHaveLength(10);
    index.remove(views[7]!);
    expect(find()).toHaveLength(9);
    index.add(views[7]!);
    expect(find()).toHaveLength(10);
    expect(reads).toBe(1002);
  });
});
