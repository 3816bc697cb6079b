import { isNotFound, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProgress, terminatingBecause, unserved } from './custom-resource-cleanup.ts';
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
    await crds().create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${names.plural}.${Thing.group}` },
      spec: {
        group: Thing.group,
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
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
        { timeout: 10_000 },
      )
      .toMatch(/made|already exists/);
  }

  it('removes a CRD once its last object is deleted', async () => {
    await defineThings(['example.com/hold']);
    await crds().delete({ name });
    await expect
      .poll(async () => (await plane.client.resource(Thing).get(key)).metadata.deletionTimestamp, { timeout: 10_000 })
      .toBeDefined();
    await expect
      .poll(async () => (await condition('Terminating'))?.reason, { timeout: 10_000 })
      .toBe('InstanceDeletionInProgress');
    await plane.client.resource(Thing).patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await expect.poll(() => isGone(), { timeout: 10_000 }).toBe(true);
  }, 30_000);

  it('keeps a CRD while no version is served, and removes it once one is served again', async () => {
    await defineThings([]);
    await serve(false);
    await crds().delete({ name });
    await expect.poll(async () => (await condition('Terminating'))?.status, { timeout: 10_000 }).toBe('True');
    // One worker handles CRDs in order: once this one is deleted, the other one has been reconciled.
    const witness = 'witnesses.cleanup.example.com';
    await define({ kind: 'Witness', plural: 'witnesses' });
    await crds().delete({ name: witness });
    await expect.poll(() => isGone(witness), { timeout: 10_000 }).toBe(true);
    const held = (await crds().get({ name })).metadata.finalizers ?? [];
    expect(held).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await serve(true);
    await expect.poll(() => isGone(), { timeout: 10_000 }).toBe(true);
  }, 30_000);
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

  it('names the version to serve if none is served', () => {
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: false, storage: true }],
    };
    const crd: CustomResourceDefinition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec,
    };
    const { reason, message } = unserved(crd);
    expect(reason).toBe('InstanceDeletionFailed');
    expect(message).toMatch(/no version of things.example.com is served; set served to true for version v1/);
  });
});
