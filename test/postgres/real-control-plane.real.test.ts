import { join } from 'node:path';
import { PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { killServer } from '../../examples/postgres-cluster/dev/killed-server.ts';
import {
  buildInstanceManager,
  fileOf,
  installKinds,
  isPostgresInstalled,
  startOperator,
} from '../../examples/postgres-cluster/dev/postgres-operator.ts';
import { connectToPrimary } from '../../examples/postgres-cluster/dev/service-client.ts';
import { PostgresBackup } from '../../examples/postgres-cluster/src/api/v1/postgres-backup.ts';
import { PostgresCluster } from '../../examples/postgres-cluster/src/api/v1/postgres-cluster.ts';
import { healthyPhase } from '../../examples/postgres-cluster/src/controllers/cluster-status.ts';
import { primaryAnnotation } from '../../examples/postgres-cluster/src/controllers/observe-cluster.ts';
import { startEnvironment } from '../environment/environment.ts';
import { RealNodes } from '../environment/real-nodes.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 180_000, interval: 100 };
const namespace = 'default';
const key = { namespace, name: 'shop' };

describe.skipIf(!isPostgresInstalled)('the PostgreSQL operator on a real control plane', () => {
  let client: KubernetesClient;
  let nodes: RealNodes;
  let operator: Manager;
  beforeAll(async () => {
    buildInstanceManager();
    const environment = await startEnvironment('');
    ({ client } = environment);
    const { kubeconfig } = environment;
    nodes = await RealNodes.start({ kubeconfig, count: 3, imageFile: fileOf('kubewright-images.json') });
    await installKinds(client);
    operator = await startOperator(client);
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await nodes?.[Symbol.asyncDispose]();
  });

  const status = async () => (await client.resource(PostgresCluster).get(key)).status;
  const state = async () => {
    const { phase, readyInstances } = (await status()) ?? {};
    return [phase, readyInstances];
  };
  const primary = async () => (await status())?.currentPrimary ?? '';
  const dataDirectory = async (instance: string) => {
    const { spec } = await client.resource(PersistentVolumeClaim).get({ namespace, name: instance });
    const { spec: pod } = await client.resource(Pod).get({ namespace, name: instance });
    return join(nodes.volumes, pod?.nodeName ?? '', spec?.volumeName ?? '', 'pgdata');
  };
  /**
   * Runs a query on the pod that the primary's Service selects. Bypasses the Service, because the API server rejects
   * endpoints with loopback addresses.
   */
  const query = async (sql: string) => {
    const { spec } = await client.resource(Service).get({ namespace, name: 'shop-rw' });
    const labelSelector = Object.entries(spec?.selector ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
    const { items } = await client.resource(Pod).list({ namespace, labelSelector });
    if (items.length !== 1) throw new Error(`the Service of the primary selects ${items.length} pods`);
    const host = items[0]?.status?.podIP ?? '';
    const connection = await connectToPrimary(client, { ...key, timeoutMs: 2_000, host });
    try {
      return (await connection.query(sql)).rows;
    } finally {
      await connection.end().catch(() => undefined);
    }
  };

  it('starts a primary and two replicas on volumes of the storage class', async () => {
    const spec = {
      instances: 3,
      storage: { size: '1Gi' },
      database: { name: 'shop' },
      replication: { synchronous: 1 },
      backup: { volume: { claimName: 'archive' } },
      parameters: { fsync: 'off', shared_buffers: '16MB', archive_timeout: '1s' },
    };
    const resources = { requests: { storage: '1Gi' } };
    const claim = { accessModes: ['ReadWriteMany'], resources } as const;
    await client
      .resource(PersistentVolumeClaim)
      .create(PersistentVolumeClaim({ metadata: { namespace, name: 'archive' }, spec: claim }));
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    await query('CREATE TABLE orders (id int PRIMARY KEY)');
  });

  it('fails over when the primary is killed, without losing an acknowledged commit', async ({ annotate }) => {
    const acknowledged: number[] = [];
    let id = 0;
    const write = async () => {
      id++;
      const number = id;
      await query(`INSERT INTO orders VALUES (${number})`);
      return acknowledged.push(number) > 0;
    };
    const attempt = () => write().catch(() => false);
    await expect.poll(async () => (await attempt()) && acknowledged.length >= 20, patience).toBe(true);
    const killed = await primary();
    const killedAtMs = performance.now();
    killServer(await dataDirectory(killed));
    await expect
      .poll(async () => (await attempt()) && (await primary()) !== killed, { ...patience, interval: 20 })
      .toBe(true);
    const seconds = (performance.now() - killedAtMs) / 1000;
    await annotate(`real API server: SIGKILL of the primary to the next acknowledged write: ${seconds.toFixed(2)} s`);
    const rows = await query('SELECT id FROM orders');
    expect(rows.map((row) => row.id)).toEqual(expect.arrayContaining(acknowledged));
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
  });

  it('switches over to the former primary, which was rewound', async () => {
    const body = { metadata: { annotations: { [primaryAnnotation]: 'shop-1' } } };
    await client.resource(PostgresCluster).patch(key, { type: 'merge', body });
    await expect.poll(primary, patience).toBe('shop-1');
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
  });

  it('takes a base backup', async () => {
    const backup = { namespace, name: 'first' };
    await client
      .resource(PostgresBackup)
      .create(PostgresBackup({ metadata: backup, spec: { cluster: 'shop', type: 'full' } }));
    // Includes the error, so that a failed assertion shows why the backup failed.
    const outcome = async () => {
      const { phase, error } = (await client.resource(PostgresBackup).get(backup)).status ?? {};
      return { phase, error };
    };
    await expect.poll(outcome, patience).toEqual({ phase: 'Completed', error: undefined });
  });
});
