import type { Replication } from '../../api/v1/postgres-cluster.ts';
import type { SynchronousStandbys } from '../settings/settings-file.ts';

/** The replicas of a primary. */
export interface Replicas {
  readonly others: readonly string[];
  /** Those that stream. */
  readonly connected: readonly string[];
  /** Those that a commit may be on: the ones that the last quorum lists. */
  readonly earlier: readonly string[];
}

/**
 * Returns the replicas that must confirm commits. With `preferred`, no more than are connected; with `required`, commits wait if
 * there are too few. A replica counts from its first connection on, so that an election need not wait for one that is being cloned.
 */
export function synchronousStandbys(
  replication: Replication | undefined,
  { others, connected, earlier }: Replicas,
): SynchronousStandbys {
  const { synchronous = 0, durability = 'required' } = replication ?? {};
  const names = [...others].sort();
  if (durability === 'required') {
    const proven = names.filter((name) => connected.includes(name) || earlier.includes(name));
    return { number: synchronous, names: proven.length < synchronous ? names : proven };
  }
  const possible = names.filter((name) => connected.includes(name));
  return { number: Math.min(synchronous, possible.length), names: possible };
}
