import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import {
  controllerOf,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';

const object = (kind: string, metadata: KubernetesObject['metadata']): KubernetesObject => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata,
});

describe('owner references', () => {
  const owner = object('Owner', { name: 'o', namespace: 'a', uid: 'u1' });
  const child = object('Child', { name: 'c', namespace: 'a' });

  it('sets the controller and updates its uid', () => {
    const once = setControllerReference(child, owner);
    expect(controllerOf(once)).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Owner',
      name: 'o',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    const again = setControllerReference(once, object('Owner', { name: 'o', namespace: 'a', uid: 'u2' }));
    expect(again.metadata.ownerReferences).toHaveLength(1);
    expect(controllerOf(again)?.uid).toBe('u2');
    expect(isControlledBy(again, owner)).toBe(false);
    expect(child.metadata.ownerReferences).toBeUndefined();
  });

  it('allows one controller and many owners', () => {
    const other = object('Other', { name: 'x', namespace: 'a', uid: 'u9' });
    const controlled = setControllerReference(child, owner);
    expect(() => setControllerReference(controlled, other)).toThrow(/is already controlled by Owner "o"/);
    const both = setOwnerReference(controlled, other);
    expect(both.metadata.ownerReferences).toHaveLength(2);
    expect(removeOwnerReference(both, other)).toEqual(controlled);
  });

  it.each([
    [object('Owner', { name: 'o', namespace: 'b', uid: 'u' }), child, /cannot own Child "c" in namespace "a"/],
    [owner, object('Child', { name: 'c' }), /cluster-scoped/],
    [object('Owner', { name: 'o', namespace: 'a' }), child, /no name or UID/],
  ])('rejects owners for which the garbage collector would delete the child', (badOwner, badChild, message) => {
    expect(() => setOwnerReference(badChild, badOwner)).toThrow(expect.objectContaining({ code: 'KW1040' }));
    expect(() => setOwnerReference(badChild, badOwner)).toThrow(message);
  });
});
