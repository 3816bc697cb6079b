import type { Job, PodFailurePolicyRule } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/** A decision by a job's pod failure policy about a failed pod. */
export interface PodFailureDecision {
  readonly action: PodFailurePolicyRule['action'];
  /** The message of the job's failure; used only if the action is `FailJob`. */
  readonly message: string;
}

/** Returns the decision of the first rule that matches a failed pod. If no rule matches, the pod counts as a failure. */
export function judgeFailure(job: Job, pod: Pod): PodFailureDecision {
  const rules = job.spec?.podFailurePolicy?.rules ?? [];
  for (const [index, rule] of rules.entries()) {
    const why = matchExitCodes(rule, pod) ?? matchConditions(rule, pod);
    if (why === undefined) continue;
    const message = `${why} matching ${rule.action} rule at index ${index}`;
    return { action: rule.action, message };
  }
  return { action: 'Count', message: '' };
}

function matchExitCodes({ onExitCodes }: PodFailurePolicyRule, pod: Pod): string | undefined {
  if (!onExitCodes) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  for (const { name, state } of statuses) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0) continue;
    if (containerName !== undefined && containerName !== name) continue;
    if (values.includes(exitCode) === (operator === 'In')) {
      return `Container ${name} for pod ${podName(pod)} failed with exit code ${exitCode}`;
    }
  }
  return undefined;
}

function matchConditions({ onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  for (const { type, status = 'True' } of onPodConditions ?? []) {
    const found = pod.status?.conditions?.find((condition) => condition.type === type && condition.status === status);
    if (found) return `Pod ${podName(pod)} has condition ${type}`;
  }
  return undefined;
}

function podName({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
