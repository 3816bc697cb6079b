import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ArchiveTarget,
  PostgresCluster,
  type PostgresClusterSpec,
  type RecoveryTarget,
} from './postgres-cluster.ts';

const crd = new URL('../../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url)
  .pathname;
const namespace = 'default';

/** Returns the spec of a cluster that is restored from an archive. */
function restore(
  target: RecoveryTarget,
  archive: ArchiveTarget = { volume: { claimName: 'archive' } },
): Partial<PostgresClusterSpec> {
  return { bootstrap: { restore: { from: { cluster: 'shop', target: archive }, target } } };
}

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
      'a limit of lag that a busy primary always exceeds',
      { replication: { maxSwitchoverLag: '1Ki' } },
      'replication.maxSwitchoverLag must be at least 1Mi',
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
    ['a restore from an archive without a location', restore({}, {}), 'set either volume or s3'],
    [
      'two recovery targets',
      restore({ lsn: '0/5000060', immediate: true }),
      'set only one of time, lsn, name and immediate',
    ],
    [
      'a restore that ends before a named point',
      restore({ name: 'a', exclusive: true }),
      'exclusive needs time or lsn',
    ],
  ])('rejects %s', async (_, spec, message) => {
    await expect(create('wrong', spec)).rejects.toThrow(message);
  });

  it.each<[string, RecoveryTarget]>([
    ['without a target', {}],
    ['with one target', { time: '2026-01-01T00:00:00Z', immediate: false, exclusive: true }],
  ])('accepts a restore %s', async (_, target) => {
    const { metadata, spec } = await create('restored', restore(target));
    expect(spec.bootstrap?.restore?.from.target).toEqual({ volume: { claimName: 'archive' } });
    await environment.client.resource(PostgresCluster).delete({ namespace, name: metadata.name });
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
