import { describe, expect, it } from 'vitest';
import { metricsIn } from '../../dev/metrics-in.ts';
import { cluster, primary, replica } from '../plan/testdata/observed.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import type { ClusterState } from './cluster-samples.ts';
import { ObservedClusters } from './observed-clusters.ts';

const upgrade = { from: '15', to: '17', phase: 'Upgrading', startedAt: '2026-01-01T00:00:00Z' } as const;
const status = { instances: 2, readyInstances: 1, majorUpgrade: upgrade };
const members = [primary('shop-1', { pod: { isOutdated: true } }), replica('shop-2')];
const state: ClusterState = {
  namespace: 'default',
  observed: cluster({ members }),
  isHealthy: false,
  rollout: { do: 'wait', needsUser: true, why: '' },
  status,
};

describe('ObservedClusters', () => {
  it('serves every metric of a cluster that is being upgraded', () => {
    const clusters = new ObservedClusters();
    clusters.record(state);
    expect([...metricsIn(clusters.text(), 'cluster')].sort()).toEqual(clusterMetrics.map(({ name }) => name).sort());
    expect(
      clusters
        .text()
        .split('\n')
        .filter((line) => !line.startsWith('#')),
    ).toEqual([
      'postgres_cluster_healthy{namespace="default",cluster="shop"} 0',
      'postgres_cluster_instances{namespace="default",cluster="shop"} 2',
      'postgres_cluster_ready_instances{namespace="default",cluster="shop"} 1',
      'postgres_cluster_outdated_instances{namespace="default",cluster="shop"} 1',
      'postgres_cluster_update_needs_user{namespace="default",cluster="shop"} 1',
      'postgres_cluster_major_upgrade{namespace="default",cluster="shop",from="15",to="17",phase="Upgrading"} 1',
      'postgres_cluster_major_upgrade_started_seconds{namespace="default",cluster="shop"} 1767225600',
      '',
    ]);
  });

  it('reports a failed upgrade without a duration, and a healthy cluster without an upgrade', () => {
    const clusters = new ObservedClusters();
    clusters.record({ ...state, status: { ...status, majorUpgrade: { ...upgrade, phase: 'Failed' } } });
    expect(clusters.text()).toContain('phase="Failed"} 1');
    expect(clusters.text()).not.toContain('started_seconds');
    clusters.record({ ...state, isHealthy: true, rollout: undefined, status: { instances: 2, readyInstances: 2 } });
    expect(clusters.text()).not.toContain('major_upgrade');
    expect(clusters.text()).toContain('postgres_cluster_update_needs_user{namespace="default",cluster="shop"} 0');
  });

  it('forgets a deleted cluster', () => {
    const clusters = new ObservedClusters();
    clusters.record(state);
    clusters.forget({ namespace: 'default', name: 'shop' });
    expect(clusters.text()).toBe('');
  });
});
