import type { ClusterView, DataState, LeaseState, ServerState, Situation } from './situation.ts';

/** The next action of an instance. It completes before the next decision. */
export type Decision =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly state: 'waiting' | 'fenced' | 'failed' | 'starting'; readonly why: string }
  | { readonly do: 'acquire' }
  | { readonly do: 'release' }
  /** Creates the data directory of a new cluster. */
  | { readonly do: 'initialize' }
  | { readonly do: 'start'; readonly role: 'primary' }
  | { readonly do: 'start'; readonly role: 'standby'; readonly upstream: string | undefined }
  | { readonly do: 'stop'; readonly mode: 'fast' | 'immediate'; readonly why: string }
  | { readonly do: 'promote' }
  /** Replaces all data with a clone of the primary's data. */
  | { readonly do: 'clone'; readonly from: string }
  /** Rewinds the data, so that it can follow the primary. */
  | { readonly do: 'rewind'; readonly from: string }
  /** Changes the instance that a running standby streams from. */
  | { readonly do: 'follow'; readonly upstream: string | undefined };

const nothing: Decision = { do: 'nothing' };

/**
 * Decides what an instance does next.
 *
 * A primary runs only while the instance holds the Lease. A former primary starts as a standby only after its data was
 * rewound, or was found to need no rewind. Data is replaced only with a clone of a primary of the same cluster.
 */
export function decide(situation: Situation): Decision {
  const { name, cluster, lease, server } = situation;
  if (isPrimary(server) && lease.state !== 'held') {
    return { do: 'stop', mode: 'immediate', why: 'the Lease is no longer held' };
  }
  if (cluster === undefined) {
    return server.kind === 'running' ? nothing : wait('the PostgresCluster has not been read yet');
  }
  if (cluster.isFenced) return idle(situation, { state: 'fenced', why: 'the instance is fenced' });
  if (cluster.isHibernated) return idle(situation, { state: 'waiting', why: 'the cluster is hibernated' });
  return cluster.targetPrimary === name ? asPrimary(situation, cluster) : asReplica(situation, cluster);
}

function asPrimary(situation: Situation, cluster: ClusterView): Decision {
  const { data, server, lease, isYielding } = situation;
  if (server.kind === 'running') {
    if (server.role === 'primary') return nothing;
    if (lease.state !== 'held') return acquire(lease);
    return server.isAccepting ? { do: 'promote' } : wait('waiting for the server to accept connections', 'starting');
  }
  if (data.kind === 'unusable') return wait(data.why, 'failed');
  if (data.kind === 'empty') {
    if (cluster.systemID !== undefined) {
      return wait('the data directory is empty, but the cluster has been initialized before', 'failed');
    }
    return lease.state === 'held' ? { do: 'initialize' } : acquire(lease);
  }
  const foreign = foreignDataReason(data, cluster);
  if (foreign !== undefined) return wait(foreign, 'failed');
  if (data.role === 'standby') return { do: 'start', role: 'standby', upstream: undefined };
  if (data.timeline < (cluster.timeline ?? 0)) {
    return wait(
      `the data is on timeline ${data.timeline}, but the cluster is on timeline ${cluster.timeline}`,
      'failed',
    );
  }
  if (isYielding) return wait('the server died; the operator may choose another primary');
  return lease.state === 'held' ? { do: 'start', role: 'primary' } : acquire(lease);
}

function asReplica(situation: Situation, cluster: ClusterView): Decision {
  const { data, server, lease } = situation;
  if (isPrimary(server)) return { do: 'stop', mode: 'fast', why: 'another instance becomes the primary' };
  if (lease.state === 'held') return { do: 'release' };
  const { currentPrimary, targetPrimary } = cluster;
  const primary = targetPrimary !== '' && currentPrimary === targetPrimary ? targetPrimary : undefined;
  if (server.kind === 'running') return asRunningStandby(situation, { primary, upstream: server.upstream });
  if (data.kind === 'present') {
    const foreign = foreignDataReason(data, cluster);
    if (foreign !== undefined) return wait(foreign, 'failed');
    if (data.role === 'standby' && !data.isDiverged) return { do: 'start', role: 'standby', upstream: primary };
  }
  if (primary === undefined) return wait('waiting for a primary');
  return { do: data.kind === 'present' ? 'rewind' : 'clone', from: primary };
}

function asRunningStandby(
  { data, lease }: Situation,
  { primary, upstream }: { readonly primary: string | undefined; readonly upstream: string | undefined },
): Decision {
  if (primary !== undefined) {
    if (data.kind === 'unusable') return { do: 'stop', mode: 'fast', why: data.why };
    if (data.kind === 'present' && data.isDiverged) {
      return { do: 'stop', mode: 'fast', why: `the data has diverged from ${primary}` };
    }
    return upstream === primary ? nothing : { do: 'follow', upstream: primary };
  }
  // Disconnects from a former primary, which must not get confirmations of commits that the new primary lacks.
  if (upstream !== undefined && lease.holder !== upstream) return { do: 'follow', upstream: undefined };
  return nothing;
}

/** Stops the server if it runs, releases the Lease if it is held, and then waits. */
function idle(
  { server, lease }: Situation,
  { state, why }: { readonly state: 'fenced' | 'waiting'; readonly why: string },
): Decision {
  if (server.kind === 'running') return { do: 'stop', mode: 'fast', why };
  return lease.state === 'held' ? { do: 'release' } : wait(why, state);
}

function acquire({ state, holder }: LeaseState): Decision {
  return state === 'free' ? { do: 'acquire' } : wait(`waiting for the Lease, which ${holder} holds`);
}

function foreignDataReason(data: DataState, { systemID }: ClusterView): string | undefined {
  if (data.kind !== 'present' || systemID === undefined || data.systemID === systemID) return undefined;
  return `the data directory belongs to database system ${data.systemID}, not to ${systemID}`;
}

function isPrimary(server: ServerState): boolean {
  return server.kind === 'running' && server.role === 'primary';
}

function wait(why: string, state: 'waiting' | 'fenced' | 'failed' | 'starting' = 'waiting'): Decision {
  return { do: 'wait', state, why };
}
