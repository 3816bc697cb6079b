import type { Stored } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import type { Container, EnvVar, Volume, VolumeMount } from '@kubewright/apimachinery/core/v1';
import type { MajorUpgrade, PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { finalExitCode, type UpgradeRequest, upgradeVariables } from '../upgrade/upgrade-program.ts';
import { clusterNames } from './cluster-names.ts';
import { instanceImage, requestedImage } from './instance-image.ts';
import { instanceFolders } from './instance-pod.ts';

/** Label on the Jobs of a major upgrade, and on their pods, with the name of the cluster. */
export const upgradeLabel = 'database.db.example.com/upgrade-of';

const folders = {
  programs: '/var/lib/postgresql/old-programs',
  work: '/var/lib/postgresql/check',
  certificates: '/etc/postgres-cluster/operator',
} as const;
const resultFile = '/dev/termination-log';
/** Interrupted attempts are retried. Each attempt continues where the previous one stopped. */
const backoffLimit = 20;

interface JobParts {
  /** The operator's image, without a tag. */
  readonly image: string;
  readonly upgrade: MajorUpgrade;
  /** Instance whose data is upgraded. */
  readonly primary: string;
  /** Address of the primary's Service. */
  readonly host: string;
}

/** Returns the name of the Job of the current phase. */
export function upgradeJobName(cluster: string, { phase, to, startedAt }: MajorUpgrade): string {
  const step = phase === 'Checking' ? 'check' : 'upgrade';
  return `${cluster}-${step}-${to}-${Math.floor(Date.parse(startedAt) / 1000)}`;
}

/**
 * Returns the Job of the current phase: it either tests the new version while the servers run, or upgrades the primary's data.
 * The pod's termination message is the result.
 */
export function upgradeJobFor(cluster: Stored<PostgresCluster>, { image, upgrade, primary, host }: JobParts): Job {
  const { name } = cluster.metadata;
  const isCheck = upgrade.phase === 'Checking';
  const step = isCheck ? checkContainer() : upgradeContainer(primary);
  const { initdb = {} } = cluster.spec.bootstrap ?? {};
  const request: UpgradeRequest = { initdb, parameters: cluster.spec.parameters ?? {}, host };
  const container: Container = {
    ...step.container,
    image: requestedImage(cluster, image),
    env: [
      ...(step.container.env ?? []),
      { name: upgradeVariables.request, value: JSON.stringify(request) },
      { name: upgradeVariables.result, value: resultFile },
    ],
    terminationMessagePath: resultFile,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext,
  };
  const exportContainer: Container = {
    name: 'programs',
    image: instanceImage(cluster, image),
    args: ['export-programs'],
    env: [variable('programs', folders.programs)],
    securityContext,
    volumeMounts: [{ name: 'programs', mountPath: folders.programs }],
  };
  const labels = { [upgradeLabel]: name };
  return Job({
    metadata: { name: upgradeJobName(name, upgrade), labels },
    spec: {
      backoffLimit,
      ttlSecondsAfterFinished: 86_400,
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: { containerName: container.name, operator: 'In', values: [finalExitCode] },
          },
        ],
      },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          ...(!isCheck && { initContainers: [exportContainer] }),
          containers: [container],
          volumes: step.volumes(name),
        },
      },
    },
  });
}

const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

interface Step {
  readonly container: Container;
  readonly volumes: (cluster: string) => readonly Volume[];
}

function checkContainer(): Step {
  return {
    container: {
      name: 'check',
      args: ['upgrade-check'],
      env: [variable('folder', folders.work), variable('certificates', folders.certificates)],
      volumeMounts: [mount('work', folders.work), { ...mount('certificates', folders.certificates), readOnly: true }],
    },
    volumes: (cluster) => [
      { name: 'work', emptyDir: {} },
      { name: 'certificates', secret: { secretName: clusterNames(cluster).operatorCertificate } },
    ],
  };
}

function upgradeContainer(primary: string): Step {
  return {
    container: {
      name: 'upgrade',
      args: ['upgrade'],
      env: [variable('data', `${instanceFolders.data}/pgdata`), variable('programs', folders.programs)],
      volumeMounts: [mount('data', instanceFolders.data), { ...mount('programs', folders.programs), readOnly: true }],
    },
    volumes: () => [
      { name: 'data', persistentVolumeClaim: { claimName: primary } },
      { name: 'programs', emptyDir: {} },
    ],
  };
}

function variable(key: keyof typeof upgradeVariables, value: string): EnvVar {
  return { name: upgradeVariables[key], value };
}

function mount(name: string, mountPath: string): VolumeMount {
  return { name, mountPath };
}
