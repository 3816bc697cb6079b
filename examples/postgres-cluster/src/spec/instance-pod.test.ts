import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresCluster, type PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';
import { instancePodFor } from './instance-pod.ts';

const target = { volume: { claimName: 'archive' } };

function variables(spec: Partial<PostgresClusterSpec>): readonly string[] {
  const metadata = { namespace: 'default', name: 'shop', uid: 'u', resourceVersion: '1' };
  const cluster = PostgresCluster({ metadata, spec: { storage: {}, ...spec } }) as Stored<PostgresCluster>;
  const [container] =
    instancePodFor(cluster, { instance: 'shop-1', image: 'postgres-instance' }).spec?.containers ?? [];
  return container?.env?.map(({ name }) => name) ?? [];
}

describe('the environment of an instance', () => {
  it('names the archives that the cluster has, once each', () => {
    const restored = { bootstrap: { restore: { from: { cluster: 'bank', target } } } };
    const archives = (spec: Partial<PostgresClusterSpec>) =>
      variables(spec).filter((name) => /^(ARCHIVE|RECOVERY)_/.test(name));
    expect(archives({})).toEqual([]);
    expect(archives({ backup: target })).toEqual(['ARCHIVE_VOLUME', 'ARCHIVE_CREDENTIALS']);
    expect(archives({ backup: target, ...restored })).toEqual([
      'ARCHIVE_VOLUME',
      'ARCHIVE_CREDENTIALS',
      'RECOVERY_VOLUME',
      'RECOVERY_CREDENTIALS',
    ]);
  });
});
