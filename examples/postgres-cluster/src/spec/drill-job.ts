import type { Stored } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import type { Container } from '@kubewright/apimachinery/core/v1';
import type { PostgresBackupSchedule } from '../api/v1/postgres-backup-schedule.ts';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { type DrillRequest, drillVariables } from '../backup/drill-program.ts';
import { instanceImage } from './instance-image.ts';
import { archiveMounts, instanceFolders, instanceSecurityFor } from './instance-pod.ts';
import { volumeClaimSpec } from './volume-claim.ts';

const folder = '/var/lib/postgresql/drill';
const resultFile = '/dev/termination-log';
/** A drill that takes longer than this fails, so that it does not block later drills forever. */
const activeDeadlineSeconds = 86_400;

/** Returns the Job that restores the newest backup of a cluster, and queries it. Its result is the pod's termination message. */
export function drillJobFor(
  { metadata, spec }: Stored<PostgresBackupSchedule>,
  { cluster, image, at }: { readonly cluster: Stored<PostgresCluster>; readonly image: string; readonly at: Date },
): Job | undefined {
  const target = cluster.spec.backup;
  if (!target) return undefined;
  const { query = 'SELECT 1', database = 'postgres' } = spec.drill ?? {};
  const request: DrillRequest = {
    cluster: cluster.status?.archiveName ?? cluster.metadata.name,
    target,
    query,
    database,
  };
  const { archive, archiveCredentials } = instanceFolders;
  const mounted = archiveMounts(target, { volume: 'archive', folder: archive, credentials: archiveCredentials });
  const container: Container = {
    name: 'drill',
    image: instanceImage(cluster, image),
    args: ['drill'],
    env: [
      { name: drillVariables.request, value: JSON.stringify(request) },
      { name: drillVariables.volume, value: archive },
      { name: drillVariables.credentials, value: archiveCredentials },
      { name: drillVariables.folder, value: folder },
      { name: drillVariables.result, value: resultFile },
    ],
    terminationMessagePath: resultFile,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'work', mountPath: folder }, ...mounted.map(({ mount }) => mount)],
  };
  return Job({
    metadata: {
      name: `${metadata.name}-drill-${Math.floor(at.getTime() / 60_000)}`,
      labels: { [drillLabel]: metadata.name },
    },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels: { [drillLabel]: metadata.name } },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          securityContext: instanceSecurityFor(cluster),
          ...(cluster.spec.nodeSelector && { nodeSelector: cluster.spec.nodeSelector }),
          containers: [container],
          // The restored data needs as much space as the data of an instance. The volume is deleted with the pod.
          volumes: [
            { name: 'work', ephemeral: { volumeClaimTemplate: { spec: volumeClaimSpec(cluster) } } },
            ...mounted.map(({ volume }) => volume),
          ],
        },
      },
    },
  });
}

/** Label on drills with the name of their schedule. */
export const drillLabel = 'database.db.example.com/drill-of';
