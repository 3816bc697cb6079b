import { CronJob } from '@kubewright/apimachinery/batch/v1';
import { Event, PersistentVolumeClaim, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { eventually, TestOperator, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SampleDB } from './api/v1/sample-db.ts';
import { sampleDB } from './sample-db.ts';

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 60_000 });
const waitOptions = { timeoutMs: 50_000 };
const namespace = 'default';
const key = { namespace, name: 'mydb' };
const file = (path: string) => new URL(`../config/${path}`, import.meta.url).pathname;

// Simulated pods show the order; sample-db.long.test.ts runs PostgreSQL.
describe('sampledb', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let operator: TestOperator;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
    client = cluster.client();
    const files = [file('crd/bases/samples.example.com_sampledbs.yaml'), file('samples/mydb.yaml')];
    await applyManifests(client, { files, fieldManager: 'test' });
    await client.resource(Secret).create(Secret({ metadata: key, stringData: { PGPASSWORD: 'secret' } }));
    operator = await TestOperator.start(client, { controllers: [sampleDB] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Returns the version and the state, such as `15 True`. */
  const state = async () => {
    const { status } = await client.resource(SampleDB).get(key);
    return `${status?.version} ${status?.conditions?.find(({ type }) => type === 'Ready')?.status}`;
  };
  const jobs = async () => {
    const { items } = await client.resource(Event).list({ namespace, fieldSelector: 'reason=JobCreated' });
    return items.map(({ message }) => message?.replace('Created job mydb-', '')).sort();
  };

  it('runs each Job in its turn, and deletes all but the snapshots', async () => {
    await eventually(state, toMatch('15 True'), waitOptions);
    await eventually(jobs, toMatch(['init']), waitOptions);
    expect((await client.resource(CronJob).list({ namespace })).items).toHaveLength(1);
    await client.resource(SampleDB).patch(key, { type: 'merge', body: { spec: { version: '16' } } });
    await eventually(state, toMatch('16 True'), waitOptions);
    await eventually(jobs, toMatch(['dump-for-16', 'init', 'upgrade-to-16']), waitOptions);
    await client.resource(SampleDB).delete(key);
    const claims = async () =>
      (await client.resource(PersistentVolumeClaim).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await eventually(claims, toMatch(['mydb-snapshots']), waitOptions);
  });
});
