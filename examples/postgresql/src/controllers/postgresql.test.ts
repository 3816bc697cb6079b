import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNotFound, type Kind, systemClock, systemRandom } from '@kubewright/apimachinery';
import { Event, Namespace, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { ClusterRole } from '@kubewright/apimachinery/rbac/v1';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Postgresql, type PostgresqlSpec } from '../api/v1/postgresql.ts';
import { postgresql } from './postgresql.ts';

const config = (name: string): string => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

/** The operator under its own account, over HTTPS; the test plays the node, so that it controls the timing. */
describe('the Postgresql operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-operator-'));
  const namespace = 'databases';
  let cluster: EmbeddedCluster;
  let operator: Manager;

  beforeAll(async () => {
    const directory = join(folder, '.kubewright');
    cluster = await EmbeddedCluster.start({
      directory,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    });
    const rbac = ['namespace', 'service_account', 'role', 'role_binding'].map((name) => config(`rbac/${name}.yaml`));
    const files = [config('crd/bases/database.db.example.com_postgresqls.yaml'), ...rbac];
    await applyManifests(cluster.client(), { files, fieldManager: 'test' });
    await cluster
      .client()
      .resource(Namespace)
      .create(Namespace({ metadata: { name: namespace } }));
    const account = { namespace: 'postgresql-operator-system', name: 'postgresql-operator-controller-manager' };
    const kubeconfig = await cluster.logInAs(account);
    operator = new Manager({ controllers: [postgresql], kubeconfig, log: silentLogger, handleSignals: false });
    operator.run().catch(() => undefined); // the test stops it
    await operator.started();
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const create = (name: string, spec: PostgresqlSpec): Promise<Postgresql> =>
    cluster
      .client()
      .resource(Postgresql)
      .create(Postgresql({ metadata: { name, namespace }, spec }));
  async function find<T extends Pod | Postgresql | Secret>(kind: Kind<T>, name: string): Promise<T | undefined> {
    try {
      return await cluster.client().resource(kind).get({ namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  const seen = <T extends Pod | Postgresql | Secret>(kind: Kind<T>, name: string): Promise<T> =>
    expect
      .poll(() => find(kind, name), { timeout: 30_000 })
      .toBeDefined()
      .then(async () => (await find(kind, name)) as T);
  const phase = (name: string) =>
    expect.poll(async () => (await find(Postgresql, name))?.status?.pgPhase, { timeout: 30_000 });
  const says = (name: string, body: Pod['status']) =>
    cluster
      .client()
      .resource(Pod)
      .status.patch({ namespace, name }, { type: 'merge', body: { status: body } });
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;

  it('creates a pod and a secret, and follows the pod', async () => {
    await create('one', { password: 'p' });
    const pod = await seen(Pod, 'one');
    expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'Postgresql', name: 'one', controller: true }]);
    await phase('one').toBe('pending');
    await says('one', ready);
    await phase('one').toBe('up');
    const pg = await find(Postgresql, 'one');
    expect(pg?.metadata.finalizers).toEqual(['database.db.example.com/finalizer']);
    expect(pg?.status).toMatchObject({
      active: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'one', uid: pod.metadata.uid },
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'ServerUp', observedGeneration: 1 }],
    });
    const fieldSelector = 'involvedObject.name=one,reason=PodCreated';
    await expect
      .poll(async () => (await cluster.client().resource(Event).list({ namespace, fieldSelector })).items.length)
      .toBe(1);
  });

  it('recreates a pod that was deleted or has failed', async () => {
    await create('again', { password: 'p' });
    const first = await seen(Pod, 'again');
    const pods = cluster.client().resource(Pod);
    await pods.delete({ namespace, name: 'again' }, { gracePeriodSeconds: 0 });
    const uid = async () => (await find(Pod, 'again'))?.metadata.uid ?? first.metadata.uid;
    await expect.poll(uid, { timeout: 30_000 }).not.toBe(first.metadata.uid);
    const second = await uid();
    await says('again', { phase: 'Failed' });
    await expect.poll(uid, { timeout: 30_000 }).not.toBe(second);
  });

  it('accepts the deprecated spelling of defaultUser', async () => {
    await create('alias', { defaultuser: 'pgowner', password: 'p' });
    const secret = await seen(Secret, 'alias-credentials');
    expect(Buffer.from(secret.data?.['username'] ?? '', 'base64').toString()).toBe('pgowner');
    const both = create('both', { defaultUser: 'a', defaultuser: 'b', password: 'p' });
    await expect(both).rejects.toThrow(
      'spec: Invalid value: defaultUser and its deprecated alias defaultuser must have the same value',
    );
  });

  it('rejects changes to fields that are fixed at creation', async () => {
    await create('fixed', { password: 'p' });
    const pgs = cluster.client().resource(Postgresql);
    const change = pgs.patch({ namespace, name: 'fixed' }, { type: 'merge', body: { spec: { password: 'other' } } });
    await expect(change).rejects.toThrow(
      'the user and password are fixed at creation; delete the object and create it again',
    );
  });

  it('keeps the object until its pod is deleted', async () => {
    await create('last', { password: 'p' });
    await seen(Pod, 'last');
    const client = cluster.client();
    // The test's own finalizer keeps the pod, like a container that is slow to stop.
    const hold = (finalizers: readonly string[] | null) =>
      client.resource(Pod).patch({ namespace, name: 'last' }, { type: 'merge', body: { metadata: { finalizers } } });
    await hold(['example.com/hold']);
    await client.resource(Postgresql).delete({ namespace, name: 'last' });
    await expect
      .poll(async () => (await find(Pod, 'last'))?.metadata.deletionTimestamp, { timeout: 30_000 })
      .toBeTruthy();
    expect((await find(Postgresql, 'last'))?.metadata.finalizers).toEqual(['database.db.example.com/finalizer']);
    await hold(null);
    await expect.poll(() => find(Postgresql, 'last'), { timeout: 30_000 }).toBeUndefined();
    expect(await find(Pod, 'last')).toBeUndefined();
  });

  // Must run last: it checks the permissions that all the other tests needed.
  it('is granted exactly the permissions that it uses', async () => {
    const { rules } = await cluster.client().resource(ClusterRole).get({ name: 'postgresql-operator-manager-role' });
    const { missing, superfluous, tooWide } = operator.permissions.report(rules ?? []);
    expect({ missing, superfluous, tooWide }).toEqual({ missing: [], superfluous: [], tooWide: [] });
  });
});
