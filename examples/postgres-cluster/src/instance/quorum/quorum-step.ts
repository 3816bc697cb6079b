import type { FailoverQuorum } from '../../api/v1/postgres-cluster.ts';
import type { ReplicaReport } from '../protocol.ts';
import { parseLsn } from '../server/wal-position.ts';
import type { SynchronousStandbys } from '../settings/settings-file.ts';

/** How far a primary has got with a change of its quorum. */
export interface QuorumState {
  /** The replicas that its server is configured with. */
  readonly applied: SynchronousStandbys;
  /** End of the WAL when `applied` took effect: later commits fulfil it. Unknown at first. */
  readonly since?: string | undefined;
}

/** The facts that a primary changes its quorum by. */
export interface QuorumInput {
  readonly wanted: SynchronousStandbys;
  /** `status.failoverQuorums` of the cluster. */
  readonly published: readonly FailoverQuorum[];
  readonly replication: {
    /** End of the WAL. */
    readonly lsn: string;
    readonly replicas: readonly ReplicaReport[];
    /** True while no connected replica can confirm commits. */
    readonly isUnconfirmed: boolean;
  };
}

export interface QuorumStep {
  readonly state: QuorumState;
  /** New value of `status.failoverQuorums`. Only if it is written, `state` comes into effect. */
  readonly publish?: readonly FailoverQuorum[];
}

/** No commit is acknowledged, because no replica has this name. */
export const hold: SynchronousStandbys = { number: 1, names: [] };

/**
 * Returns the next step of a primary towards the quorum that it wants. Elections rely on the published quorums, so each acknowledged
 * commit must fulfil one of them, at any time:
 *
 * 1. The new quorum is published in addition to the old ones.
 * 2. Commits are held until every process that sends WAL has read that setting. PostgreSQL acknowledges a commit by the setting of
 *    such a process, and shows only whether a replica counts at all.
 * 3. The server gets the new quorum.
 * 4. When enough of its replicas have all earlier WAL, earlier commits fulfil it, too, and the old quorums are withdrawn.
 *
 * A change that is fulfilled by every commit of the old quorums, such as a further replica, needs only one step.
 */
export function quorumStep(state: QuorumState, { wanted, published, replication }: QuorumInput): QuorumStep {
  const { applied } = state;
  const next = quorumOf(wanted);
  const isHolding = applied.names.length === 0;
  if (!published.some((each) => isSame(each, next))) {
    // While commits are held, a process may still acknowledge some by an earlier setting.
    const isWider = !isHolding && entails(quorumOf(applied), next);
    return { state: isWider ? { ...state, applied: wanted } : state, publish: withQuorum(published, next) };
  }
  if (!isSame(quorumOf(applied), next)) {
    return { state: { applied: isHolding && replication.isUnconfirmed ? wanted : hold } };
  }
  if (published.length === 1) return { state };
  if (state.since === undefined) return { state: { applied, since: replication.lsn } };
  return hasAll(next, { lsn: state.since, replicas: replication.replicas }) ? { state, publish: [next] } : { state };
}

/** Returns quorums with one more, without those that it makes superfluous. */
export function withQuorum(published: readonly FailoverQuorum[], next: FailoverQuorum): readonly FailoverQuorum[] {
  return [...published.filter((each) => !entails(each, next)), next];
}

export function quorumOf({ number, names }: SynchronousStandbys): FailoverQuorum {
  return { standbyNumber: number, standbyNames: names };
}

export function isSame(a: FailoverQuorum, b: FailoverQuorum): boolean {
  return entails(a, b) && entails(b, a);
}

/** True if a commit that fulfils one quorum also fulfils the other. */
function entails(one: FailoverQuorum, other: FailoverQuorum): boolean {
  return (
    one.standbyNumber >= other.standbyNumber && one.standbyNames.every((name) => other.standbyNames.includes(name))
  );
}

function hasAll(
  { standbyNumber, standbyNames }: FailoverQuorum,
  { lsn, replicas }: { readonly lsn: string; readonly replicas: readonly ReplicaReport[] },
): boolean {
  const complete = replicas.filter(
    ({ name, state, flushLSN }) =>
      state === 'streaming' && standbyNames.includes(name) && parseLsn(flushLSN ?? '0/0') >= parseLsn(lsn),
  );
  return new Set(complete.map(({ name }) => name)).size >= standbyNumber;
}
