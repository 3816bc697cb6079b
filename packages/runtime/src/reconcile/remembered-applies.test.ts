import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { RememberedApplies } from './remembered-applies.ts';

const manager = { fieldManager: 'me' };
const wanted = object({ data: { a: '1' }, metadata: { name: 'a', labels: {} } });

function object(members: Record<string, unknown>): KubernetesObject {
  // The object has the form of a server's response.
  return { apiVersion: 'v1', kind: 'ConfigMap', ...members } as unknown as KubernetesObject;
}

function live(
  resourceVersion: string,
  members: Record<string, unknown> = {},
  fieldsV1: unknown = { 'f:data': { 'f:a': {} } },
): KubernetesObject {
  const managedFields = [{ manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  return object({ data: { a: '1' }, metadata: { name: 'a', uid: 'u', resourceVersion, managedFields }, ...members });
}

function remembering(stored = live('5')): { readonly applies: RememberedApplies; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  const applies = new RememberedApplies(clock);
  applies.remember(wanted, stored, manager);
  return { applies, clock };
}

describe('RememberedApplies', () => {
  it.each<[string, KubernetesObject, boolean]>([
    ['the response itself', live('5'), true],
    ['a version with other changes', live('6', { data: { a: '1', theirs: '2' }, immutable: false }), true],
    ['a changed value', live('6', { data: { a: '2' } }), false],
    ['a removed value', live('6', { data: {} }), false],
    ['a field that another manager has taken', live('6', {}, { 'f:data': {} }), false],
    ['another object of that name', object({ metadata: { name: 'a', uid: 'other', resourceVersion: '5' } }), false],
  ])('compares the applied fields of %s', (_what, current, expected) => {
    const { applies } = remembering();
    expect(applies.has(wanted, current, manager)).toBe(expected);
  });

  it('notices when someone sets a field that the server had dropped', () => {
    const { applies } = remembering();
    const managedFields = live('6').metadata.managedFields;
    const labeled = live('6', {
      metadata: { name: 'a', uid: 'u', resourceVersion: '6', labels: { theirs: 'x' }, managedFields },
    });
    // An empty map contains no label, so labels of other managers do not matter.
    expect(applies.has(wanted, labeled, manager)).toBe(true);
    applies.remember(object({ spec: { dropped: 1 }, metadata: { name: 'a' } }), live('6', {}, {}), manager);
    const set = live('7', { spec: { dropped: 2 } }, {});
    expect(applies.has(object({ spec: { dropped: 1 }, metadata: { name: 'a' } }), set, manager)).toBe(false);
  });

  it('compares with the cached form of the response, which may lack parts', () => {
    const { applies } = remembering();
    const cut = (version: string) => object({ metadata: { name: 'a', uid: 'u', resourceVersion: version } });
    expect(applies.has(wanted, cut('6'), manager)).toBe(false);
    expect(applies.has(wanted, cut('5'), manager)).toBe(true);
    expect(applies.has(wanted, cut('6'), manager)).toBe(true);
  });

  it('keeps managers, subresources and contents apart', () => {
    const { applies } = remembering();
    expect(applies.has(wanted, live('5'), { fieldManager: 'other' })).toBe(false);
    expect(applies.has(wanted, live('5'), { ...manager, subresource: 'status' })).toBe(false);
    expect(applies.has(object({ ...wanted, data: { a: '2' } }), live('5'), manager)).toBe(false);
  });

  it('forgets an object on request, and a response after ten minutes', async () => {
    const { applies, clock } = remembering();
    await clock.advance(599_999);
    expect(applies.has(wanted, live('5'), manager)).toBe(true);
    await clock.advance(1);
    expect(applies.has(wanted, live('5'), manager)).toBe(false);
    applies.remember(wanted, live('5'), manager);
    applies.forget('u');
    expect(applies.has(wanted, live('5'), manager)).toBe(false);
    expect(applies.size).toBe(0);
  });

  it('remembers the 10,000 most recently used objects', () => {
    const { applies } = remembering();
    const nth = (uid: number) => object({ metadata: { name: 'a', uid: `${uid}`, resourceVersion: '5' } });
    for (let uid = 0; uid < 9_999; uid++) applies.remember(wanted, nth(uid), manager);
    expect(applies.has(wanted, live('5'), manager)).toBe(true);
    applies.remember(wanted, nth(9_999), manager);
    expect(applies.size).toBe(10_000);
    expect(applies.has(wanted, nth(0), manager)).toBe(false);
    expect(applies.has(wanted, live('5'), manager)).toBe(true);
  });
});
