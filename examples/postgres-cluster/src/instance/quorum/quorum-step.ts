import type { FailoverQuorum } from '../../api/v1/postgres-cluster.ts';
import { parseLsn } from '../../lsn.ts';
import type { ReplicaReport } from '../protocol.ts';
import type { SynchronousStandbys } from '../settings/settings-file.ts';

/** A primary's progress in changing its quorum. */
export interface QuorumState {
  /** The synchronous replicas that the server is configured with. */
  readonly applied: SynchronousStandbys;
  /**
   * End of the WAL when `applied` took effect. Every later commit satisfies `applied`. Undefined until it has been
   * read.
   */
  readonly since?: string | undefined;
}

/** The inputs of a step. */
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
  /** New value of `status.failoverQuorums`. `state` takes effect only after it has been written. */
  readonly publish?: readonly FailoverQuorum[];
}

/** Holds all commits: no replica is listed, so none can confirm a commit. */
export const hold: SynchronousStandbys = { number: 1, names: [] };

/**
 * Returns a primary's next step towards the desired quorum. Elections rely on the published quorums, so every
 * acknowledged commit must always satisfy at least one of them:
 *
 * 1. The new quorum is published in addition to the old ones.
 * 2. Commits are held until every WAL sender has read that setting. PostgreSQL acknowledges a commit by the setting
 *   that the WAL sender has read. It does not show that setting, only whether a replica counts as synchronous.
 * 3. The server is configured with the new quorum.
 * 4. Once enough replicas of the new quorum have all earlier WAL, earlier commits satisfy it, too, and the old quorums
 *   are withdrawn.
 *
 * If every commit that satisfies the old quorum also satisfies the new one, as after adding a replica, a single step
 * suffices.
 */
export function quorumStep(state: QuorumState, { wanted, published, replication }: QuorumInput): QuorumStep {
  const { applied } = state;
  const next = quorumOf(wanted);
  const isHolding = applied.names.length === 0;
  if (!published.some((each) => isSame(each, next))) {
    // While commits are held, a WAL sender that has not read the new setting may still acknowledge commits under the old one.
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

/** Adds a quorum, and removes the quorums that it makes redundant. */
export function withQuorum(published: readonly FailoverQuorum[], next: FailoverQuorum): readonly FailoverQuorum[] {
  return [...published.filter((each) => !entails(each, next)), next];
}

export function quorumOf({ number, names }: SynchronousStandbys): FailoverQuorum {
  return { standbyNumber: number, standbyNames: names };
}

export function isSame(a: FailoverQuorum, b: FailoverQuorum): boolean {
  return entails(a, b) && entails(b, a);
}

/** Returns true if every commit that satisfies `one` also satisfies `other`. */
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
