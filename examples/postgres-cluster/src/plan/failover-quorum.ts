import type { FailoverQuorum } from '../api/v1/postgres-cluster.ts';

/**
 * Returns why an election among the present replicas could lose an acknowledged commit, or undefined if it could not.
 *
 * Each commit is on at least `standbyNumber` (W) of the N replicas in `standbyNames`. The R replicas that are present
 * are certain to include one with the commit only if fewer than `standbyNumber` are missing: R + W > N, as in
 * CloudNativePG's failover quorum. Replicas that are not in `standbyNames` do not count.
 */
export function commitLossRisk(
  { standbyNumber, standbyNames }: FailoverQuorum,
  { present }: { readonly present: ReadonlySet<string> },
): string | undefined {
  const missing = standbyNames.filter((name) => !present.has(name));
  if (missing.length < standbyNumber) return undefined;
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return (
    `${missing.join(', ')} ${are} unavailable and may have commits that no other replica has, because only ${standbyNumber} of ` +
    `${standbyNames.join(', ')} had to confirm each commit; bring ${them} back, or force a promotion if the primary is lost`
  );
}
