import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { CronJob } from '@kubewright/apimachinery/batch/v1';
import { Event, PersistentVolume, PersistentVolumeClaim, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { eventually, TestOperator, toBeAbsent, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SampleDB } from './api/v1/sample-db.ts';
import { sampleDB } from './sample-db.ts';

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const waitOptions = { timeoutMs: 90_000 };
const namespace = 'default';
const key = { namespace, name: 'mydb' };
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the programs are missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing =
  maySkip && ['postgres', 'psql', 'pg_dump'].some((name) => spawnSync(name, ['--version']).status !== 0);
const file = (path: string) => new URL(`../config/${path}`, import.meta.url).pathname;

describe.skipIf(isMissing)('sampledb (needs postgres, psql and pg_dump on the PATH)', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let operator: TestOperator;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: {} });
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
  const query = async (sql: string) => {
    const command = ['psql', '-U', 'postgres', '-tAc', sql, 'app'];
    await using process = await client.pods.exec({ namespace, name: 'mydb-0' }, { command });
    const { stdout, stderr } = await process.text();
    return (stdout + stderr).trim();
  };
  const names = async <T extends KubernetesObject>(kind: Kind<T>) =>
    (await client.resource(kind).list({ namespace })).items.map(({ metadata }) => metadata.name);

  /** The orders that the server confirmed after the first two. */
  const written: string[] = [];
  const table = 'CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, item text NOT NULL)';
  const write = async (item: string) => {
    const result = await query(`${table}; INSERT INTO orders (item) VALUES ('${item}')`).catch(String);
    if (/^INSERT 0 1$/m.test(result)) written.push(item);
  };
  /**
   * Runs a client that writes up to ten times per second until `work` ends; it creates its table if the table is missing.
   * Without the pause, its failing attempts would slow down the start of the server.
   */
  const whileWriting = async (work: () => Promise<void>) => {
    let isDone = false;
    const writeAlways = async () => {
      for await (const _ of setInterval(100)) {
        if (isDone) return;
        await write(`order-${written.length}`);
      }
    };
    const working = work().finally(() => {
      isDone = true;
    });
    await Promise.all([working, writeAlways()]);
  };

  // Each test continues with the database of the test before.
  it('installs a database with its first data and a schedule of backups', async () => {
    await eventually(state, toMatch('15 True'), waitOptions);
    expect(await query('SELECT item FROM orders')).toBe('tea');
    expect(await names(CronJob)).toEqual(['mydb-backup']);
  });

  it('upgrades the database without losing a confirmed write', async () => {
    await query("INSERT INTO orders (item) VALUES ('milk')");
    await whileWriting(async () => {
      await client.resource(SampleDB).patch(key, { type: 'merge', body: { spec: { version: '16' } } });
      await eventually(state, toMatch('16 True'), waitOptions);
    });
    await write('last');
    expect(written.at(-1)).toBe('last');
    expect(await query('SELECT item FROM orders ORDER BY id')).toBe(['tea', 'milk', ...written].join('\n'));
    expect(await query('SHOW data_directory')).toMatch(/16$/);
    const jobs = async () => {
      const { items } = await client.resource(Event).list({ namespace, fieldSelector: 'reason=JobCreated' });
      return items.map(({ message }) => message?.replace('Created job mydb-', '')).sort();
    };
    await eventually(jobs, toMatch(['dump-for-16', 'init', 'upgrade-to-16']), waitOptions);
  });

  it('takes a snapshot with all confirmed writes before the database is deleted', async () => {
    const { metadata } = await client.resource(SampleDB).get(key);
    const { spec } = await client.resource(PersistentVolumeClaim).get({ namespace, name: 'mydb-snapshots' });
    const volume = await client.resource(PersistentVolume).get({ name: spec?.volumeName ?? '' });
    // The client writes until the server is gone.
    await whileWriting(async () => {
      await client.resource(SampleDB).delete(key);
      await eventually(() => names(StatefulSet), toBeAbsent(), waitOptions);
    });
    await eventually(() => names(PersistentVolumeClaim), toMatch(['mydb-snapshots']), waitOptions);
    const folder = volume.spec?.local?.path ?? '';
    // A backup may have become due in the meantime.
    const saved = readdirSync(folder).filter((name) => !name.startsWith('backup-'));
    expect(saved.sort()).toEqual(['before-16.sql', `final-${metadata.uid}.sql`]);
    const snapshot = readFileSync(join(folder, `final-${metadata.uid}.sql`), 'utf8');
    const items = [...snapshot.matchAll(/^\d+\t(.*)$/gm)].map(([, item]) => item);
    expect(items).toEqual(['tea', 'milk', ...written]);
  });
});
