import type { KindDescriptor, ObjectMeta } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { OwnerGraph } from './owner-graph.ts';

const kind: KindDescriptor = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' };

function meta(uid: string, more: ObjectMeta = {}): ObjectMeta {
  return { uid, name: uid, namespace: 'a', ...more };
}
function owner(uid: string, more: { readonly blockOwnerDeletion?: boolean; readonly name?: string } = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, ...more };
}

describe('OwnerGraph', () => {
  let enqueued: string[];
  let mismatches: [string, string][];
  let graph: OwnerGraph;
  const drain = (): readonly string[] => enqueued.splice(0);

  beforeEach(() => {
    enqueued = [];
    mismatches = [];
    graph = new OwnerGraph({
      enqueue: (uid) => void enqueued.push(uid),
      mismatch: (dependent, of) => void mismatches.push([dependent.uid, of.uid]),
    });
  });

  it('enqueues a dependent whose owner was not observed', () => {
    graph.observe(kind, meta('child', { ownerReferences: [owner('parent')] }));
    expect(drain()).toEqual(['child']);
    graph.observe(kind, meta('parent'));
    expect(drain()).toEqual([]);
    expect(graph.dependentsOf('parent').map(({ uid }) => uid)).toEqual(['child']);
  });

  it('enqueues all dependents of a deleted owner', () => {
    graph.observe(kind, meta('parent'));
    graph.observe(kind, meta('one', { ownerReferences: [owner('parent')] }));
    graph.observe(kind, meta('two', { ownerReferences: [owner('parent')] }));
    expect(drain()).toEqual([]);
    graph.remove('parent');
    expect(drain()).toEqual(['one', 'two']);
  });

  it('enqueues an owner in foreground deletion if a dependent is deleted or no longer blocks', () => {
    const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };
    graph.observe(kind, meta('parent'));
    graph.observe(kind, meta('one', { ownerReferences: [owner('parent', { blockOwnerDeletion: true })] }));
    graph.observe(kind, meta('two', { ownerReferences: [owner('parent', { blockOwnerDeletion: true })] }));
    graph.observe(kind, meta('parent', deleting));
    expect(drain()).toEqual(['one', 'two', 'parent']);
    expect(graph.blockingDependentsOf('parent')).toHaveLength(2);
    graph.observe(kind, meta('one', { ownerReferences: [owner('parent')] }));
    expect(drain()).toContain('parent');
    expect(graph.blockingDependentsOf('parent').map(({ uid }) => uid)).toEqual(['two']);
    graph.remove('two');
    expect(drain()).toEqual(['parent']);
  });

  it('enqueues an orphaning owner only once', () => {
    const orphaning = meta('parent', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['orphan'] });
    graph.observe(kind, orphaning);
    graph.observe(kind, orphaning);
    expect(drain()).toEqual(['parent']);
    expect(graph.node('parent')).toMatchObject({ deleting: true, foreground: false, orphaning: true });
  });

  it('reports an owner in another namespace, whether owner or dependent is observed first', () => {
    graph.observe(kind, meta('parent', { namespace: 'b' }));
    graph.observe(kind, meta('after', { ownerReferences: [owner('parent')] }));
    expect(mismatches).toEqual([['after', 'parent']]);
    graph.observe(kind, meta('before', { ownerReferences: [owner('late')] }));
    graph.observe(kind, meta('late', { namespace: 'c' }));
    expect(mismatches).toEqual([
      ['after', 'parent'],
      ['before', 'late'],
    ]);
    expect(drain()).toEqual(['after', 'before', 'before']);
  });

  it('accepts cluster-scoped owners of objects in any namespace', () => {
    graph.observe({ ...kind, scope: 'Cluster' }, meta('parent', { namespace: '' }));
    graph.observe(kind, meta('child', { ownerReferences: [owner('parent')] }));
    expect(mismatches).toEqual([]);
    expect(drain()).toEqual([]);
  });

  it('forgets removed owner references', () => {
    graph.observe(kind, meta('parent'));
    graph.observe(kind, meta('child', { ownerReferences: [owner('parent')] }));
    graph.observe(kind, meta('child'));
    expect(graph.dependentsOf('parent')).toEqual([]);
    graph.remove('parent');
    expect(drain()).toEqual([]);
    expect(graph.size).toBe(1);
  });
});
