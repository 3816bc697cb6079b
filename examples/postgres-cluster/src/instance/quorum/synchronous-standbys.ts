import type { Replication } from '../../api/v1/postgres-cluster.ts';
import type { SynchronousStandbys } from '../settings/settings-file.ts';

/** A primary's replicas, by name. */
export interface Replicas {
  readonly others: readonly string[];
  /** Replicas that are streaming. */
  readonly connected: readonly string[];
  /** Replicas of the last published quorum, which may already have commits. */
  readonly earlier: readonly string[];
}

/**
 * Returns the replicas that must confirm commits. With `preferred`, only connected replicas must confirm; with
 * `required`, commits wait if too few are connected. A replica is listed only after its first connection, so that an
 * election does not wait for a replica that is still being cloned.
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
