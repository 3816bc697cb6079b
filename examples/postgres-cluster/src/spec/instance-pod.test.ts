import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresCluster, type PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';
import { instancePodFor } from './instance-pod.ts';

const target = { volume: { claimName: 'archive' } };

function podOf(spec: Partial<PostgresClusterSpec>) {
  const metadata = { namespace: 'default', name: 'shop', uid: 'u', resourceVersion: '1' };
  const cluster = PostgresCluster({ metadata, spec: { storage: {}, ...spec } }) as Stored<PostgresCluster>;
  return instancePodFor(cluster, { instance: 'shop-1', image: 'postgres-instance' }).spec;
}

function variables(spec: Partial<PostgresClusterSpec>): readonly string[] {
  const [container] = podOf(spec)?.containers ?? [];
  return container?.env?.map(({ name }) => name) ?? [];
}

describe('the environment of an instance', () => {
  it('contains the archive to write to and the archive to restore from, if the cluster has them', () => {
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

describe('the pod of an instance', () => {
  it('has the fsGroup and the node selector of the spec', () => {
    expect(podOf({})?.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 999 });
    expect(podOf({})).not.toHaveProperty('nodeSelector');
    const spec = podOf({ fsGroup: 26, nodeSelector: { disk: 'fast' } });
    expect(spec).toMatchObject({ securityContext: { fsGroup: 26 }, nodeSelector: { disk: 'fast' } });
  });
});

describe('the placement of an instance', () => {
  const labelSelector = { matchLabels: { 'database.db.example.com/cluster': 'shop' } };
  const nodes = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
  const zones = { weight: 50, podAffinityTerm: { labelSelector, topologyKey: 'topology.kubernetes.io/zone' } };

  it('prefers different nodes and zones by default', () => {
    const pod = podOf({});
    expect(pod?.affinity).toEqual({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: nodes }, zones],
      },
    });
    expect(pod).not.toHaveProperty('tolerations');
    expect(pod).not.toHaveProperty('topologySpreadConstraints');
    expect(pod?.containers[0]).not.toHaveProperty('resources');
  });

  it('requires different nodes if the spec does', () => {
    expect(podOf({ podAntiAffinity: 'required' })?.affinity?.podAntiAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: [nodes],
      preferredDuringSchedulingIgnoredDuringExecution: [zones],
    });
  });

  it('has the resources, tolerations and spread of the spec, by default of the instances of the cluster', () => {
    const resources = { requests: { cpu: '2', memory: '4Gi' }, limits: { memory: '4Gi' } };
    const tolerations = [{ key: 'dedicated', value: 'postgres', effect: 'NoSchedule' }] as const;
    const spread = { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' } as const;
    const other = { ...spread, labelSelector: { matchLabels: { app: 'all-databases' } } };
    const pod = podOf({ resources, tolerations, topologySpreadConstraints: [spread, other] });
    expect(pod?.containers[0]?.resources).toEqual(resources);
    expect(pod?.tolerations).toEqual(tolerations);
    expect(pod?.topologySpreadConstraints).toEqual([{ ...spread, labelSelector }, other]);
  });
});

describe('the liveness probe of an instance', () => {
  it.each([
    ['the default Lease', undefined],
    ['a short Lease', { durationSeconds: 6, renewDeadlineSeconds: 4, retryPeriodSeconds: 1 }],
    ['a long Lease', { durationSeconds: 120, renewDeadlineSeconds: 90, retryPeriodSeconds: 10 }],
  ])('ends a hanging instance manager before %s expires', (_, lease) => {
    const probe = podOf(lease ? { lease } : {})?.containers[0]?.livenessProbe;
    const {
      periodSeconds = 10,
      timeoutSeconds = 1,
      failureThreshold = 3,
      terminationGracePeriodSeconds = 30,
    } = probe ?? {};
    // The next probe starts when the period is over and the last probe has ended.
    const betweenProbes = Math.max(periodSeconds, timeoutSeconds);
    const failedAfter = periodSeconds + (failureThreshold - 1) * betweenProbes + timeoutSeconds;
    const killedAfter = failedAfter + terminationGracePeriodSeconds;
    const { durationSeconds = 15, retryPeriodSeconds = 2 } = lease ?? {};
    expect(killedAfter).toBeLessThan(durationSeconds - retryPeriodSeconds);
    expect(killedAfter).toBeLessThan(30);
  });
});
