import { sleep } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { CliError } from '../program/cli-error.ts';
import type { Project } from '../project/find-project.ts';
import type { Target } from '../target/apply-objects.ts';

const pollMs = 200;
/** Grace period for failing new pods, in milliseconds: a registry can be slow, and a first start can fail. */
const problemGraceMs = 15_000;
/** The kubelet's reasons for images that cannot be pulled. */
const imagePullProblem = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)$/;

export interface Rollout {
  readonly project: Pick<Project, 'name'>;
  readonly timeoutMs: number;
}

interface RolloutProblem {
  readonly pod: string;
  readonly isImage: boolean;
  readonly text: string;
}

/**
 * Waits until all pods of the operator are updated and available and no old pod is left, like `kubectl rollout status`. Stops
 * waiting early if the image of a new pod cannot be pulled, or if a new pod keeps failing.
 *
 * @throws CliError KW7307 with the errors of the new pods
 */
export async function rolledOut(target: Target, { project, timeoutMs }: Rollout): Promise<void> {
  const { clock, signal } = target.environment;
  const key = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  const startMs = clock.monotonic();
  let sinceMs: number | undefined;
  for (;;) {
    const deployment = await target.client.resource(Deployment).get(key, { signal });
    if (isRolledOut(deployment)) return;
    const nowMs = clock.monotonic();
    const problems = await problemsOf(target, deployment);
    sinceMs = problems.length > 0 ? (sinceMs ?? nowMs) : undefined;
    const isHopeless = sinceMs !== undefined && nowMs - sinceMs >= problemGraceMs;
    if (isHopeless || nowMs - startMs >= timeoutMs) {
      throw unavailable(key, { problems, seconds: Math.round((nowMs - startMs) / 1_000) });
    }
    await sleep(clock, { ms: pollMs, signal });
  }
}

function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  const wanted = spec?.replicas ?? 1;
  const isSeen = observedGeneration >= (metadata.generation ?? 0);
  return isSeen && updatedReplicas >= wanted && replicas <= updatedReplicas && availableReplicas >= updatedReplicas;
}

/** Returns the errors that keep the pods of the newest template from running. */
async function problemsOf({ client, environment }: Target, deployment: Deployment): Promise<readonly RolloutProblem[]> {
  const { signal } = environment;
  const { namespace = '', uid } = deployment.metadata;
  const revision = deployment.metadata.annotations?.[revisionAnnotation];
  const sets = (await client.resource(ReplicaSet).list({ namespace, signal })).items;
  const newest = sets.find(
    ({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid) &&
      metadata.annotations?.[revisionAnnotation] === revision,
  );
  if (!newest) return [];
  const pods = (await client.resource(Pod).list({ namespace, signal })).items;
  return pods
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === newest.metadata.uid))
    .flatMap(({ metadata, status }): readonly RolloutProblem[] => {
      const [container] = status?.containerStatuses ?? [];
      const { waiting } = container?.state ?? {};
      const { terminated } = container?.lastState ?? {};
      const reason = waiting?.reason ?? '';
      const isImage = imagePullProblem.test(reason);
      if (!isImage && reason !== 'CrashLoopBackOff' && !reason.startsWith('Create')) return [];
      const ended = terminated ? `, exit code ${terminated.exitCode}` : '';
      const message = waiting?.message ? `: ${waiting.message}` : '';
      return [{ pod: metadata.name, isImage, text: `${reason}${message}${ended}` }];
    });
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';

function unavailable(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { problems, seconds }: { readonly problems: readonly RolloutProblem[]; readonly seconds: number },
): CliError {
  const image = problems.some(({ isImage }) => isImage);
  return new CliError('KW7307', {
    what: `the operator ${namespace}/${name} is not available after ${seconds} s`,
    why:
      problems.map(({ pod, text }) => `${pod}: ${text}`).join('\n') || 'the new pods of the Deployment are not ready',
    remedy: image
      ? 'push the image to a registry that the nodes can pull from; for the embedded cluster: kubewright build --load IMAGE'
      : `check the operator's log: kubectl -n ${namespace} logs deployment/${name}`,
  });
}
