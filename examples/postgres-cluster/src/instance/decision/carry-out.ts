import type { Clock } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { ClusterAccess } from '../cluster/cluster-access.ts';
import { whilePrimaryStays } from '../cluster/while-primary-stays.ts';
import type { PrimaryLease } from '../lease/primary-lease.ts';
import type { LocalInstance } from '../local-instance.ts';
import type { Decision } from './decide.ts';

/** Returns the time limit of a clean stop, after which the server is killed. */
function cleanStopMs(cluster: PostgresCluster | undefined): number {
  return (cluster?.spec.replication?.switchoverDelaySeconds ?? 3_600) * 1_000;
}

/** The parts of an instance that carry out decisions. */
export interface InstanceParts {
  readonly local: LocalInstance;
  readonly lease: PrimaryLease;
  readonly access: ClusterAccess;
  readonly clock: Clock;
}

/** Carries out a decision. Returns true if the next decision can follow immediately. */
export async function carryOut(
  decision: Decision,
  { local, lease, access, clock, signal }: InstanceParts & { readonly signal: AbortSignal },
): Promise<boolean> {
  /** Runs a long copy, and aborts it as soon as another instance becomes the primary. */
  const copy = (from: string, act: (limited: AbortSignal) => Promise<void>): Promise<void> =>
    whilePrimaryStays(from, { targetPrimary: () => access.cluster?.status?.targetPrimary, act, clock, signal });
  switch (decision.do) {
    case 'acquire':
      return lease.acquire(signal);
    case 'release':
      await lease.release();
      return true;
    case 'initialize':
      await local.data.initialize(signal);
      return true;
    case 'start':
      return local.start(decision, signal);
    case 'stop': {
      const withinMs = decision.mode === 'fast' ? cleanStopMs(access.cluster) : 0;
      await local.stop({ mode: decision.mode, withinMs, why: decision.why, signal });
      return true;
    }
    case 'promote':
      await local.promote(signal);
      return false;
    case 'clone':
      await copy(decision.from, (limited) => local.data.clone(decision.from, limited));
      return true;
    case 'rewind':
      await copy(decision.from, (limited) => local.data.rewind(decision.from, limited));
      return true;
    case 'follow':
      return local.follow(decision.upstream, signal);
    case 'wait':
    case 'nothing':
      return false;
  }
}
