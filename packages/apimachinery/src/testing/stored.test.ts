import { describe, expect, expectTypeOf, it } from 'vitest';
import { Deployment } from '../generated/apps-v1.ts';
import { ConfigMap } from '../generated/core-v1.ts';
import { ClusterRole } from '../generated/rbac-v1.ts';
import { stored } from './stored.ts';

describe('stored', () => {
  it('fills in what the API server sets and keeps what the object sets', () => {
    const { metadata } = stored(ConfigMap({ metadata: { name: 'a', uid: 'u', labels: { x: 'y' } } }));
    expect(metadata).toMatchObject({ name: 'a', namespace: 'default', uid: 'u', generation: 1, labels: { x: 'y' } });
  });

  it('requires the fields that every stored object of the kind has', () => {
    const deployment = stored(Deployment({ metadata: {} })).metadata;
    expectTypeOf(deployment.uid).toEqualTypeOf<string>();
    expectTypeOf(deployment.namespace).toEqualTypeOf<string>();
    expectTypeOf(deployment.generation).toEqualTypeOf<number>();
    expectTypeOf(stored(ConfigMap({ metadata: {} })).metadata.generation).toEqualTypeOf<number | undefined>();
    expectTypeOf(stored(ClusterRole({ metadata: {} })).metadata.namespace).toEqualTypeOf<string | undefined>();
  });
});
