import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { seededRandom } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperatorProcess } from '../dev/operator-process.ts';
import { buildInstanceManager, fileOf, installKinds, isPostgresInstalled } from '../dev/postgres-operator.ts';
import { connectToPrimary } from '../dev/service-client.ts';
import { ServiceWrites } from '../dev/service-writes.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { primaryAnnotation } from './controllers/observe-cluster.ts';

const rounds = Number(process.env['POSTGRES_ROUNDS'] ?? 20);
const seed = Number(process.env['POSTGRES_SEED'] ?? randomInt(1_000_000));
vi.setConfig({ testTimeout: rounds * 60_000 + 120_000, hookTimeout: 240_000 });
const patience = { timeout: 120_000, interval: 50 };
const namespace = 'default';
const key = { namespace, name: 'shop' };
const writers = 3;
const kill = 'kill -KILL $(head -n 1 "$PGDATA/postmaster.pid")';

describe.skipIf(!isPostgresInstalled)('the operator is killed at random under load, with real servers', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let operator: OperatorProcess;
  beforeAll(async () => {
    buildInstanceManager();
    cluster = await EmbeddedCluster.start({ node: { count: 3, imageFile: fileOf('kubewright-images.json') } });
    client = cluster.client();
    await installKinds(client);
    operator = await OperatorProcess.start(cluster.kubeconfig ?? '');
    const spec = {
      instances: 3,
      storage: { size: '1Gi' },
      database: { name: 'shop' },
      replication: { synchronous: 1 },
      parameters: { fsync: 'off', shared_buffers: '16MB' },
    };
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const status = async () => (await client.resource(PostgresCluster).get(key)).status ?? {};
  const primary = async () => (await status()).currentPrimary ?? '';
  const isHealthy = () =>
    expect
      .poll(async () => {
        const { phase, readyInstances } = await status();
        return [phase, readyInstances];
      }, patience)
      .toEqual([healthyPhase, 3]);
  const exec = async (name: string, script: string) => {
    await using process = await client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
    await process.text();
  };
  const other = async (index: number) => {
    const current = await primary();
    return ['shop-1', 'shop-2', 'shop-3'].filter((name) => name !== current)[index] ?? '';
  };
  /** Returns the IDs stored on the primary. Retries until the Service routes to it. */
  const storedIds = async () => {
    const read = async () => {
      const connection = await connectToPrimary(client, { ...key, timeoutMs: 5_000 });
      try {
        const { rows } = await connection.query<{ id: number }>('SELECT id FROM orders');
        return rows.map(({ id }) => id);
      } finally {
        await connection.end();
      }
    };
    let found: readonly number[] = [];
    await expect
      .poll(async () => {
        found = await read().catch(() => []);
        return found.length;
      }, patience)
      .toBeGreaterThan(0);
    return new Set(found);
  };

  it(`recovers from ${rounds} kills without losing an acknowledged commit`, async ({ annotate }) => {
    const random = seededRandom(seed);
    const upTo = (limit: number) => Math.floor(random.next() * limit);
    const events = {
      'the primary is killed': async () => exec(await primary(), kill),
      'a replica is killed': async () => exec(await other(upTo(2)), kill),
      'a switchover is requested': async () => {
        const body = { metadata: { annotations: { [primaryAnnotation]: await other(upTo(2)) } } };
        await client.resource(PostgresCluster).patch(key, { type: 'merge', body });
      },
      'nothing happens': async () => undefined,
    };
    const names = Object.keys(events) as (keyof typeof events)[];
    await isHealthy();
    const connection = await connectToPrimary(client, { ...key, timeoutMs: 30_000 });
    await connection.query('CREATE TABLE orders (id int PRIMARY KEY)');
    await connection.end();
    const acknowledged: number[] = [];
    const counts = new Map<string, number>();
    for (let round = 1; round <= rounds; round++) {
      const name = names[upTo(names.length)] ?? 'nothing happens';
      const [killAfterMs, restartAfterMs] = [upTo(3_000), upTo(2_000)];
      const what = `seed=${seed} round ${round}: ${name}, the operator is killed after ${killAfterMs} ms, and restarted after another ${restartAfterMs} ms`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const load = Array.from(
        { length: writers },
        (_, writer) => new ServiceWrites(client, { ...key, from: (round * writers + writer) * 100_000 }),
      );
      try {
        await expect.poll(() => Math.min(...load.map((each) => each.acknowledged.length)), patience).toBeGreaterThan(5);
        await events[name]();
        await setTimeout(killAfterMs);
        await operator.kill();
        await setTimeout(restartAfterMs);
        operator.start();
        const before = load.map((each) => each.acknowledged.length);
        await isHealthy();
        for (const [index, each] of load.entries())
          await expect.poll(() => each.acknowledged.length, patience).toBeGreaterThan(before[index] ?? 0);
      } catch (cause) {
        throw new Error(what, { cause });
      } finally {
        await Promise.all(load.map((each) => each[Symbol.asyncDispose]()));
      }
      acknowledged.push(...load.flatMap((each) => each.acknowledged));
      const stored = await storedIds();
      expect(
        acknowledged.filter((id) => !stored.has(id)),
        what,
      ).toEqual([]);
    }
    const kinds = [...counts].map(([name, count]) => `${name} in ${count} rounds`).join(', ');
    await annotate(
      `the operator was killed ${rounds} times (seed ${seed}): ${kinds}; 0 of ${acknowledged.length} acknowledged commits lost`,
    );
  });
});
