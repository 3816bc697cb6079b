import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresCluster, type PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';
import { restoredCluster } from './restored-cluster.ts';

const backup = { volume: { claimName: 'archive' } };

function shop(spec: Partial<PostgresClusterSpec>): Stored<PostgresCluster> {
  const metadata = { namespace: 'db', name: 'shop', uid: 'u', resourceVersion: '1', annotations: { a: 'b' } };
  return PostgresCluster({ metadata, spec: { storage: { size: '5Gi' }, ...spec } }) as Stored<PostgresCluster>;
}

describe('restoredCluster', () => {
  it('copies the settings of the origin, but not that it is paused, hibernated or fenced', () => {
    const origin = shop({
      backup,
      parameters: { work_mem: '8MB' },
      paused: true,
      hibernated: true,
      fenced: ['shop-1'],
    });
    expect(
      restoredCluster(origin, { name: 'copy', target: { lsn: '0/1' }, backup: 'first', instances: 1 }),
    ).toMatchObject({
      metadata: { namespace: 'db', name: 'copy' },
      spec: {
        storage: { size: '5Gi' },
        instances: 1,
        parameters: { work_mem: '8MB' },
        backup,
        bootstrap: { restore: { backup: 'first', from: { cluster: 'shop', target: backup }, target: { lsn: '0/1' } } },
      },
    });
    const { spec, metadata } = restoredCluster(origin, { name: 'copy', target: {} });
    expect(spec).not.toHaveProperty('paused');
    expect(spec).not.toHaveProperty('hibernated');
    expect(spec).not.toHaveProperty('fenced');
    expect(spec.bootstrap?.restore).not.toHaveProperty('target');
    expect(metadata).toEqual({ namespace: 'db', name: 'copy' });
  });

  it('has the version of the data, not that of an upgrade which has not succeeded', () => {
    const origin = { ...shop({ backup, version: '17', image: 'postgres:17.2' }), status: { version: '15' } };
    const { spec } = restoredCluster(origin, { name: 'copy', target: {} });
    expect([spec.version, spec.image]).toEqual(['15', undefined]);
    const upgraded = restoredCluster({ ...origin, status: { version: '17' } }, { name: 'copy', target: {} });
    expect([upgraded.spec.version, upgraded.spec.image]).toEqual(['17', 'postgres:17.2']);
  });

  it('limits the number of synchronous replicas to the number of replicas', () => {
    const origin = shop({ backup, instances: 3, replication: { synchronous: 2, durability: 'preferred' } });
    const replicationOf = (instances?: number) =>
      restoredCluster(origin, { name: 'copy', target: {}, instances }).spec.replication;
    expect(replicationOf(1)).toEqual({ synchronous: 0, durability: 'preferred' });
    expect(replicationOf(2)).toEqual({ synchronous: 1, durability: 'preferred' });
    expect(replicationOf()).toEqual({ synchronous: 2, durability: 'preferred' });
  });

  it('rejects an origin without an archive, and a new cluster with the name of the origin', () => {
    expect(() => restoredCluster(shop({}), { name: 'copy', target: {} })).toThrow(
      'shop has no archive to restore from',
    );
    expect(() => restoredCluster(shop({ backup }), { name: 'shop', target: {} })).toThrow(
      'choose a name other than shop',
    );
  });
});
