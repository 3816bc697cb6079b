import { createHash } from 'node:crypto';
import type { Stored } from '@kubewright/apimachinery';
import {
  type Container,
  type EnvVar,
  type EnvVarSource,
  Pod,
  type PodSecurityContext,
  type PodSpec,
  type Probe,
  type Volume,
  type VolumeMount,
} from '@kubewright/apimachinery/core/v1';
import type { ArchiveTarget, PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel, statusPort } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';
import { instanceImage } from './instance-image.ts';
import { placementOf } from './placement.ts';

/** Paths in an instance's container. */
export const instanceFolders = {
  /** Mount point of the volume claim. The data directory is its subfolder `pgdata`. */
  data: '/var/lib/postgresql/data',
  /** Server certificate of the cluster: `tls.crt`, `tls.key`, `ca.crt`. */
  serverCertificate: '/etc/postgres-cluster/server',
  /** Client certificate of the user `streaming_replica`. */
  replicationCertificate: '/etc/postgres-cluster/replication',
  /** User and password of the application. */
  application: '/etc/postgres-cluster/app',
  /** Password of the superuser, if `superuserAccess` is set. */
  superuser: '/etc/postgres-cluster/superuser',
  /** Mount points of the archive's volume claim, and of its bucket's `accessKeyId` and `secretAccessKey`. */
  archive: '/var/lib/postgresql/archive',
  archiveCredentials: '/etc/postgres-cluster/archive',
  /** The same for the archive that the cluster is restored from. */
  recoveryArchive: '/var/lib/postgresql/recovery-archive',
  recoveryCredentials: '/etc/postgres-cluster/recovery-archive',
} as const;

/** Annotation with a hash of the pod's spec, used to detect outdated pods. */
export const specHashAnnotation = 'database.db.example.com/spec-hash';

export interface InstancePodOptions {
  readonly instance: string;
  /** Image with the PostgreSQL programs and the instance manager, without a tag. */
  readonly image: string;
}

/** Returns the pod of an instance, without a role label. Its entry point is the instance manager. */
export function instancePodFor(cluster: Stored<PostgresCluster>, options: InstancePodOptions): Pod {
  const spec = podSpec(cluster, options);
  return Pod({
    metadata: {
      name: options.instance,
      labels: { [clusterLabel]: cluster.metadata.name },
      annotations: { [specHashAnnotation]: specHash(spec) },
    },
    spec,
  });
}

function specHash(spec: PodSpec): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
}

function podSpec(cluster: Stored<PostgresCluster>, { instance, image }: InstancePodOptions): PodSpec {
  const { name } = cluster.metadata;
  const mounted = volumesOf(cluster, instance);
  const container: Container = {
    name: 'postgresql',
    image: instanceImage(cluster, image),
    env: environmentOf(cluster),
    ports: [
      { name: 'postgresql', containerPort: 5432 },
      { name: 'status', containerPort: statusPort },
    ],
    // The probe paths require no client certificate, because the kubelet has none.
    readinessProbe: {
      httpGet: { scheme: 'HTTPS', path: '/readyz', port: 'status' },
      periodSeconds: 1,
      timeoutSeconds: 5,
    },
    livenessProbe: { httpGet: { scheme: 'HTTPS', path: '/livez', port: 'status' }, ...livenessTiming(cluster) },
    startupProbe: {
      httpGet: { scheme: 'HTTPS', path: '/livez', port: 'status' },
      periodSeconds: 1,
      failureThreshold: 60,
    },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    ...(cluster.spec.resources && { resources: cluster.spec.resources }),
    volumeMounts: mounted.map(({ mount }) => mount),
  };
  return {
    serviceAccountName: clusterNames(name).instances,
    // Allows a clean shutdown, which writes a checkpoint and archives the last WAL.
    terminationGracePeriodSeconds: 300,
    securityContext: instanceSecurityFor(cluster),
    ...placementOf(cluster),
    containers: [container],
    volumes: mounted.map(({ volume }) => volume),
  };
}

/**
 * Returns the timing of the liveness probe. An unresponsive instance manager cannot stop its server, so the kubelet
 * must kill it before another instance can acquire the Lease. That takes at most three periods, a timeout and the grace
 * period; margins are the time since the last renewal and one second for the kubelet. The threshold is several failures
 * in a row, so that a short network interruption does not kill a server.
 */
function livenessTiming({ spec }: Stored<PostgresCluster>): Partial<Probe> {
  const { durationSeconds = 15, retryPeriodSeconds = 2 } = spec.lease ?? {};
  const terminationGracePeriodSeconds = 1;
  const left = durationSeconds - retryPeriodSeconds - terminationGracePeriodSeconds - 1;
  const seconds = Math.min(6, Math.max(1, Math.floor(left / 4)));
  return {
    periodSeconds: seconds,
    timeoutSeconds: seconds,
    failureThreshold: left < 4 ? 2 : 3,
    terminationGracePeriodSeconds,
  };
}

/**
 * Returns the security context of pods that mount a cluster's volumes. The user is not set here: the image sets it, as a numeric
 * ID.
 */
export function instanceSecurityFor({ spec: { fsGroup = 999 } }: Stored<PostgresCluster>): PodSecurityContext {
  return {
    runAsNonRoot: true,
    fsGroup,
    // Avoids changing the ownership of a large volume on every mount.
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

function environmentOf({ metadata: { name }, spec }: Stored<PostgresCluster>): readonly EnvVar[] {
  const field = (fieldPath: string): EnvVarSource => ({ fieldRef: { fieldPath } });
  return [
    { name: 'CLUSTER_NAME', value: name },
    { name: 'POD_NAME', valueFrom: field('metadata.name') },
    { name: 'POD_UID', valueFrom: field('metadata.uid') },
    { name: 'POD_NAMESPACE', valueFrom: field('metadata.namespace') },
    { name: 'POD_IP', valueFrom: field('status.podIP') },
    { name: 'PGDATA', value: `${instanceFolders.data}/pgdata` },
    { name: 'SERVER_CERTIFICATES', value: instanceFolders.serverCertificate },
    { name: 'REPLICATION_CERTIFICATES', value: instanceFolders.replicationCertificate },
    { name: 'APP_CREDENTIALS', value: instanceFolders.application },
    { name: 'SUPERUSER_CREDENTIALS', value: instanceFolders.superuser },
    ...archiveEnvironment(spec.backup, {
      ARCHIVE_VOLUME: instanceFolders.archive,
      ARCHIVE_CREDENTIALS: instanceFolders.archiveCredentials,
    }),
    ...archiveEnvironment(spec.bootstrap?.restore?.from.target, {
      RECOVERY_VOLUME: instanceFolders.recoveryArchive,
      RECOVERY_CREDENTIALS: instanceFolders.recoveryCredentials,
    }),
  ];
}

function archiveEnvironment(
  target: ArchiveTarget | undefined,
  folders: Readonly<Record<string, string>>,
): readonly EnvVar[] {
  return target ? Object.entries(folders).map(([name, value]) => ({ name, value })) : [];
}

export interface Mounted {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

function volumesOf({ metadata: { name }, spec }: Stored<PostgresCluster>, instance: string): readonly Mounted[] {
  const names = clusterNames(name);
  const folders = instanceFolders;
  return [
    claimed('data', instance, folders.data),
    secret('server-certificate', names.serverCertificate, folders.serverCertificate),
    secret('replication-certificate', names.replicationCertificate, folders.replicationCertificate),
    secret('application', names.application, folders.application),
    // Always mounted, but optional, so that changing `superuserAccess` does not recreate pods.
    secret('superuser', names.superuser, folders.superuser, { optional: true }),
    ...archiveMounts(spec.backup, {
      volume: 'archive',
      folder: folders.archive,
      credentials: folders.archiveCredentials,
    }),
    ...archiveMounts(spec.bootstrap?.restore?.from.target, {
      volume: 'recovery-archive',
      folder: folders.recoveryArchive,
      credentials: folders.recoveryCredentials,
    }),
  ];
}

/** Returns the volumes and mounts for an archive: its volume claim, or its bucket's credentials. */
export function archiveMounts(
  target: ArchiveTarget | undefined,
  { volume, folder, credentials }: { readonly volume: string; readonly folder: string; readonly credentials: string },
): readonly Mounted[] {
  const { volume: claim, s3 } = target ?? {};
  return [
    ...(claim ? [claimed(volume, claim.claimName, folder)] : []),
    ...(s3 ? [secret(`${volume}-credentials`, s3.credentialsSecret, credentials)] : []),
  ];
}

function claimed(volume: string, claimName: string, mountPath: string): Mounted {
  return { volume: { name: volume, persistentVolumeClaim: { claimName } }, mount: { name: volume, mountPath } };
}

function secret(
  volume: string,
  secretName: string,
  mountPath: string,
  options: { readonly optional?: boolean } = {},
): Mounted {
  return {
    volume: { name: volume, secret: { secretName, ...options } },
    mount: { name: volume, mountPath, readOnly: true },
  };
}
