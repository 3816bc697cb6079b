import { isNotFound, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProgress, terminatingBecause } from './custom-resource-cleanup.ts';
import { TestControlPlane } from './testdata/test-control-plane.ts';

const Thing: Kind<KubernetesObject> = {
  group: 'cleanup.example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const name = 'things.cleanup.example.com';
const key = { namespace: 'default', name: 'one' };

describe('customResourceCleanup', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  const crds = () => plane.client.resource(CustomResourceDefinition);
  const serve = (served: boolean) =>
    crds().patch({ name }, { type: 'json', body: [{ op: 'replace', path: '/spec/versions/0/served', value: served }] });
  const condition = async (type: string) =>
    (await crds().get({ name })).status?.conditions?.find((each) => each.type === type);
  const isGone = (crd = name) =>
    crds()
      .get({ name: crd })
      .then(() => false, isNotFound);

  async function define(names: { readonly kind: string; readonly plural: string }): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object' } };
    await crds().create(
      CustomResourceDefinition({
        metadata: { name: `${names.plural}.${Thing.group}` },
        spec: {
          group: Thing.group,
          scope: 'Namespaced',
          names,
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }),
    );
  }
  async function defineThings(finalizers: readonly string[]): Promise<void> {
    await define({ kind: 'Thing', plural: 'things' });
    await expect.poll(async () => (await condition('Established'))?.status).toBe('True');
    const thing = { apiVersion: 'cleanup.example.com/v1', kind: 'Thing', metadata: { ...key, finalizers } };
    await expect
      .poll(
        () =>
          plane.client
            .resource(Thing)
            .create(thing)
            .then(() => 'made', String),
        { timeout: 30_000 },
      )
      .toMatch(/made|already exists/);
  }

  it('removes a CRD once its last object is deleted', async () => {
    await defineThings(['example.com/hold']);
    await crds().delete({ name });
    await expect
      .poll(async () => (await plane.client.resource(Thing).get(key)).metadata.deletionTimestamp, { timeout: 30_000 })
      .toBeDefined();
    await expect
      .poll(async () => (await condition('Terminating'))?.reason, { timeout: 30_000 })
      .toBe('InstanceDeletionInProgress');
    await plane.client.resource(Thing).patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await expect.poll(() => isGone(), { timeout: 30_000 }).toBe(true);
  });

  it('removes a CRD without a served version together with its objects, which clients cannot read', async () => {
    await defineThings(['example.com/hold']);
    await serve(false);
    await crds().delete({ name });
    await expect
      .poll(async () => (await condition('Terminating'))?.reason, { timeout: 30_000 })
      .toBe(inProgress.reason);
    await expect(plane.client.resource(Thing).get(key)).rejects.toThrow('404 page not found');
    await serve(true);
    await expect
      .poll(async () => (await plane.client.resource(Thing).get(key)).metadata.deletionTimestamp, { timeout: 30_000 })
      .toBeDefined();
    await plane.client.resource(Thing).patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await expect.poll(() => isGone(), { timeout: 30_000 }).toBe(true);
  });

  it('removes a CRD without a served version if its objects have no finalizers', async () => {
    await defineThings([]);
    await serve(false);
    await crds().delete({ name });
    await expect.poll(() => isGone(), { timeout: 30_000 }).toBe(true);
    await defineThings([]);
    await crds().delete({ name });
    await expect.poll(() => isGone(), { timeout: 30_000 }).toBe(true);
  });
});

describe('terminatingBecause', () => {
  const nowMs = Date.UTC(2026, 0, 2);
  const pending = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'soon',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  const established = { type: 'Established', status: 'True' } as const;

  it('reports that deletion is in progress and keeps the transition time', () => {
    const conditions = terminatingBecause(inProgress, { conditions: [pending, established], nowMs });
    const terminating = {
      ...pending,
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    };
    expect(conditions).toEqual([established, terminating]);
    expect(terminatingBecause(inProgress, { conditions: conditions ?? [], nowMs })).toBeUndefined();
    expect(terminatingBecause(inProgress, { conditions: [], nowMs })?.[0]?.lastTransitionTime).toBe(
      '2026-01-02T00:00:00Z',
    );
  });
});
