import { fileURLToPath } from 'node:url';
import { Event, Namespace, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { ClusterRole } from '@kubewright/apimachinery/rbac/v1';
import {
  FakeInfrastructure,
  TestEnvironment,
  TestOperator,
  toBeAbsent,
  toBeOwnedBy,
  toHaveEvent,
  toHaveFinalizer,
  toMatch,
} from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Postgresql, type PostgresqlSpec, type PostgresqlStatus } from '../api/v1/postgresql.ts';
import { postgresql } from './postgresql.ts';

const config = (name: string): string => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));
// The default is too short for a busy machine.
const patience = { timeoutMs: 30_000 };
const namespace = 'databases';
const account = 'system:serviceaccount:postgresql-operator-system:postgresql-operator-controller-manager';

/** The operator with the permissions of its account; the test plays the node, so that it controls the timing. */
describe('the Postgresql operator', () => {
  let environment: TestEnvironment;
  let infrastructure: FakeInfrastructure;
  let operator: TestOperator;
  beforeAll(async () => {
    const rbac = ['namespace', 'service_account', 'role', 'role_binding'].map((name) => config(`rbac/${name}.yaml`));
    environment = await TestEnvironment.start({
      components: FakeInfrastructure.components,
      manifests: [config('crd/bases/database.db.example.com_postgresqls.yaml'), ...rbac],
    });
    infrastructure = await FakeInfrastructure.start(environment);
    const { client } = environment;
    await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
    const limited = client.with({ impersonate: { user: account } });
    operator = await TestOperator.start(limited, { controllers: [postgresql] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await infrastructure?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const create = (name: string, spec: PostgresqlSpec) =>
    environment.client.resource(Postgresql).create(Postgresql({ metadata: { name, namespace }, spec }));
  const get = (name: string) => environment.client.resource(Postgresql).get({ namespace, name });
  const podOf = (name: string) => environment.client.resource(Pod).get({ namespace, name });
  const hasPhase = (name: string, pgPhase: PostgresqlStatus['pgPhase']) =>
    operator.eventually(() => get(name), toMatch({ status: { pgPhase } }), patience);
  /** Waits for another pod than the given one. */
  const podAfter = (name: string, uid?: string) =>
    operator.eventually(
      () => podOf(name),
      (pod) => expect(pod.metadata.uid).not.toBe(uid),
      patience,
    );

  it('creates a pod and a secret, and follows the pod', async () => {
    const pg = await create('one', { password: 'p' });
    const pod = await operator.eventually(() => podOf('one'), toBeOwnedBy(pg), patience);
    await hasPhase('one', 'pending');
    await infrastructure.makeReady(pod);
    await hasPhase('one', 'up');
    const up = await get('one');
    toHaveFinalizer('database.db.example.com/finalizer')(up);
    expect(up.status).toMatchObject({
      active: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'one', uid: pod.metadata.uid },
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'ServerUp', observedGeneration: 1 }],
    });
    const events = () => environment.client.resource(Event).list({ namespace });
    await operator.eventually(events, toHaveEvent({ reason: 'PodCreated', name: 'one' }), patience);
  });

  it('recreates a pod that was deleted or has failed', async () => {
    await create('again', { password: 'p' });
    const first = await podAfter('again');
    await environment.client.resource(Pod).delete(first.metadata, { gracePeriodSeconds: 0 });
    const second = await podAfter('again', first.metadata.uid);
    const body = { status: { phase: 'Failed' } };
    await environment.client.resource(Pod).status.patch(second.metadata, { type: 'merge', body });
    await podAfter('again', second.metadata.uid);
  });

  it('accepts the deprecated spelling of defaultUser', async () => {
    await create('alias', { defaultuser: 'pgowner', password: 'p' });
    const secret = () => environment.client.resource(Secret).get({ namespace, name: 'alias-credentials' });
    const username = Buffer.from('pgowner').toString('base64');
    await operator.eventually(secret, toMatch({ data: { username } }), patience);
    const both = create('both', { defaultUser: 'a', defaultuser: 'b', password: 'p' });
    await expect(both).rejects.toThrow(
      'spec: Invalid value: defaultUser and its deprecated alias defaultuser must have the same value',
    );
  });

  it('rejects changes to fields that are fixed at creation', async () => {
    await create('fixed', { password: 'p' });
    const body = { spec: { password: 'other' } };
    const change = environment.client.resource(Postgresql).patch({ namespace, name: 'fixed' }, { type: 'merge', body });
    await expect(change).rejects.toThrow(
      'the user and password are fixed at creation; delete the object and create it again',
    );
  });

  it('keeps the object until its pod is deleted', async () => {
    await create('last', { password: 'p' });
    await podAfter('last');
    const { client } = environment;
    // The test's own finalizer keeps the pod, like a container that is slow to stop.
    const hold = (finalizers: readonly string[] | null) =>
      client.resource(Pod).patch({ namespace, name: 'last' }, { type: 'merge', body: { metadata: { finalizers } } });
    await hold(['example.com/hold']);
    await client.resource(Postgresql).delete({ namespace, name: 'last' });
    await operator.eventually(
      () => podOf('last'),
      (pod) => expect(pod.metadata.deletionTimestamp).toBeDefined(),
      patience,
    );
    toHaveFinalizer('database.db.example.com/finalizer')(await get('last'));
    await hold(null);
    await operator.eventually(() => get('last'), toBeAbsent(), patience);
    await expect(podOf('last')).rejects.toThrow('not found');
  });

  // Must run last: it checks the permissions that all the other tests needed.
  it('is granted exactly the permissions that it uses', async () => {
    const { rules } = await environment.client.resource(ClusterRole).get({ name: 'postgresql-operator-manager-role' });
    const { missing, superfluous, tooWide } = operator.manager.permissions.report(rules ?? []);
    expect({ missing, superfluous, tooWide }).toEqual({ missing: [], superfluous: [], tooWide: [] });
  });
});
