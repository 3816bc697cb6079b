import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresCluster, type PostgresClusterSpec } from './postgres-cluster.ts';

const crd = new URL('../../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url)
  .pathname;
const namespace = 'default';

describe('PostgresCluster', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: [crd] });
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  const create = (name: string, spec: Partial<PostgresClusterSpec>) =>
    environment.client
      .resource(PostgresCluster)
      .create(PostgresCluster({ metadata: { name, namespace }, spec: { storage: {}, ...spec } }));

  it.each<[string, Partial<PostgresClusterSpec>, string]>([
    [
      'as many synchronous replicas as instances',
      { instances: 2, replication: { synchronous: 2 } },
      'replication.synchronous must be less than instances',
    ],
    [
      'a Lease that expires before the renew deadline',
      { lease: { durationSeconds: 5 } },
      'retryPeriodSeconds must be less than renewDeadlineSeconds',
    ],
    ['zero instances', { instances: 0 }, 'should be greater than or equal to 1'],
    ['a parameter name with a space', { parameters: { 'port ': '1' } }, 'parameters must have valid setting names'],
    [
      'a parameter name with a line break',
      { parameters: { "a = '1'\nport": '1' } },
      'parameters must have valid setting names',
    ],
    ['an archive without a location', { backup: { keep: 1 } }, 'set either volume or s3'],
  ])('rejects %s', async (_, spec, message) => {
    await expect(create('wrong', spec)).rejects.toThrow(message);
  });

  it('applies defaults, and rejects a smaller volume', async () => {
    const { spec } = await create('shop', {
      storage: { size: '2Gi' },
      parameters: { work_mem: '4MB', 'Auto_Explain.log_analyze': 'on' },
    });
    expect(spec).toMatchObject({
      version: '15',
      instances: 3,
      replication: { synchronous: 0, durability: 'required' },
    });
    const resize = (size: string) =>
      environment.client
        .resource(PostgresCluster)
        .patch({ namespace, name: 'shop' }, { type: 'merge', body: { spec: { storage: { size } } } });
    await expect(resize('1Gi')).rejects.toThrow('volumes cannot shrink');
    await resize('3Gi');
  });
});
