import { instanceName } from '../spec/cluster-names.ts';
import { type Election, elect, isCandidate } from './election.ts';
import type { ObservedCluster, ObservedInstance } from './observed-cluster.ts';

/**
 * Chooses the primary of a cluster that was recreated with the volumes of an earlier one, whose status (and so its
 * primary) is lost. All volumes must be compared, because any of them may have the only copy of a commit.
 *
 * Each timeline is written by a single primary, whose data has every commit on that timeline. Standbys can only be
 * compared while their servers run.
 */
export function electAmongVolumes(cluster: ObservedCluster): Election {
  const { members, forcedPrimary } = cluster;
  // All volumes were deleted: the cluster starts over, with an unused instance number.
  if (members.length === 0) return { winner: instanceName(cluster.name, cluster.lastInstance + 1) };
  const forced = members.find(({ name, report }) => name === forcedPrimary && report?.data !== undefined);
  if (forced) return { winner: forced.name };
  const unknown = members.filter(({ report }) => report?.data === undefined);
  if (unknown.length > 0) return { why: `waiting for ${names(unknown)} to report the state of the data` };
  const unusable = members.filter(({ report }) => report?.data === 'unusable');
  const present = members.filter(({ report }) => report?.data === 'primary' || report?.data === 'standby');
  if (present.length === 0) {
    if (unusable.length > 0)
      return { why: `the data of ${names(unusable)} cannot be used: ${unusable[0]?.report?.message}` };
    const [first] = members;
    return { winner: (first as ObservedInstance).name };
  }
  const systems = new Set(present.map(({ report }) => report?.systemID));
  if (systems.size > 1)
    return { why: `the volumes of ${names(present)} have different system identifiers; delete the wrong volumes` };
  const standbys = present.filter((each) => each.report?.data === 'standby' && !isCandidate(each, cluster));
  if (standbys.length > 0) return { why: `waiting for ${names(standbys)} to accept connections` };
  const newest = Math.max(...present.map(({ report }) => report?.timeline ?? 0));
  const primaries = present.filter(({ report }) => report?.data === 'primary' && report.timeline === newest);
  if (primaries.length > 1) {
    return {
      why: `${names(primaries)} were all primaries on timeline ${newest}; force the promotion of one, or delete the wrong volumes`,
    };
  }
  const [primary] = primaries;
  return primary ? { winner: primary.name } : elect({ ...cluster, quorums: [], timeline: newest });
}

function names(instances: readonly ObservedInstance[]): string {
  return instances.map(({ name }) => name).join(', ');
}
