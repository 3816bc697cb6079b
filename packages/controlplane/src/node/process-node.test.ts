import { spawnSync } from 'node:child_process';
import { isNotFound } from '@kubewright/apimachinery';
import { ConfigMap, Node, Pod, Secret, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeCluster, startNodeCluster } from './testdata/node-cluster.ts';

describe('processNode', () => {
  let cluster: NodeCluster;
  const namespace = 'default';

  beforeAll(async () => {
    cluster = await startNodeCluster();
    const { admin } = cluster;
    await admin
      .resource(ServiceAccount)
      .create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
    await admin.resource(ConfigMap).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-root-ca.crt', namespace },
      data: { 'ca.crt': 'no real authority' },
    });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const podNow = async (name: string): Promise<Pod | undefined> => {
    try {
      return await cluster.admin.resource(Pod).get({ namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const createPod = (name: string, spec: Pod['spec']): Promise<Pod> =>
    cluster.admin.resource(Pod).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      ...(spec && { spec: { terminationGracePeriodSeconds: 5, ...spec } }),
    });
  const conditionOf = (pod: Pod | undefined, type: string) => pod?.status?.conditions?.find((one) => one.type === type);

  it('registers a node that is ready', async () => {
    await expect
      .poll(
        async () => {
          const { items } = await cluster.admin.resource(Node).list();
          return items[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        },
        { timeout: 10_000 },
      )
      .toBe('True');
  });

  it('runs a PostgreSQL pod from the scheduler to its end', async () => {
    await cluster.admin.resource(Secret).create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db', namespace },
      stringData: { password: 'hunter2' },
    });
    await createPod('db', {
      containers: [
        {
          name: 'postgres',
          image: 'postgres:17',
          env: [{ name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
          ports: [{ containerPort: 5432 }],
          readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    await expect.poll(async () => conditionOf(await podNow('db'), 'Ready')?.status, { timeout: 18_000 }).toBe('True');
    const pod = await podNow('db');
    expect(pod?.status).toMatchObject({ phase: 'Running', hostIP: cluster.node.nodeIP });
    const psql = spawnSync('psql', ['-h', pod?.status?.podIP ?? '', '-U', 'postgres', '-Atc', 'select 6 * 7'], {
      encoding: 'utf8',
      env: { ...process.env, PGPASSWORD: 'hunter2' },
    });
    if (psql.error === undefined) expect(psql.stdout).toBe('42\n');
    await cluster.admin.resource(Pod).delete({ namespace, name: 'db' });
    await expect.poll(() => podNow('db'), { timeout: 10_000 }).toBeUndefined();
  });
});
