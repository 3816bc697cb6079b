import type { Replication } from '../../api/v1/postgres-cluster.ts';
import type { SynchronousStandbys } from './settings-file.ts';

/**
 * Returns the replicas that must confirm commits. With `preferred`, no more than are connected; with `required`, commits wait if
 * there are too few.
 */
export function synchronousStandbys(
  replication: Replication | undefined,
  { others, connected }: { readonly others: readonly string[]; readonly connected: readonly string[] },
): SynchronousStandbys {
  const { synchronous = 0, durability = 'required' } = replication ?? {};
  const names = [...others].sort();
  if (durability === 'required') return { number: synchronous, names };
  const possible = names.filter((name) => connected.includes(name));
  return { number: Math.min(synchronous, possible.length), names: possible };
}
