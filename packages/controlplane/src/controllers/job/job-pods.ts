import { isDeleting } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { EnvVar, Pod, PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { podFromTemplate } from '../pods/pod-control.ts';
import { indexKey } from './completion-index.ts';

/** Holds a pod until its job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** Holds how often a pod's index failed before it. */
export const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';

/** True for a job whose pods have indexes. */
export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

/** True if a pod counts as failed: it failed, or it is going away without having succeeded and may be replaced already. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return replacesTerminating(job) && isDeleting(pod) && pod.status?.phase !== 'Succeeded';
}

/** True if pods are replaced as soon as they are being deleted, not only when they have ended. */
export function replacesTerminating({ spec }: Job): boolean {
  return (spec?.podReplacementPolicy ?? 'TerminatingOrFailed') !== 'Failed';
}

/** The pod of a job, for an index when it is an indexed one. `failures` is noted where the job limits them for each index. */
export function jobPod(
  job: Job,
  { index, failures }: { readonly index?: number | undefined; readonly failures?: number | undefined },
): Pod {
  const template = index === undefined ? job.spec?.template : indexedTemplate(job, index);
  const pod = podFromTemplate(template, job);
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
  const generateName = index === undefined ? pod.metadata.generateName : indexedPrefix(job, index);
  const annotations =
    failures === undefined
      ? pod.metadata.annotations
      : { ...pod.metadata.annotations, [failureCountKey]: String(failures) };
  const metadata = {
    ...pod.metadata,
    finalizers,
    ...(annotations && { annotations }),
    ...(generateName !== undefined && { generateName }),
  };
  return { ...pod, metadata };
}

/** When a pod ended, in milliseconds: the end of its last container, else what its conditions or deletion say. */
export function endedMs(pod: Pod): number | undefined {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  const known = ends.filter((ms) => !Number.isNaN(ms));
  if (known.length > 0) return Math.max(...known);
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const text = ready ?? pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp;
  return text ? Date.parse(text) : undefined;
}

function indexedTemplate(job: Job, index: number): PodTemplateSpec | undefined {
  const template = job.spec?.template;
  if (!template?.spec) return template;
  const text = String(index);
  const env: EnvVar = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } },
  };
  const withIndex = <C extends { readonly env?: readonly EnvVar[] }>(container: C): C =>
    container.env?.some(({ name }) => name === env.name)
      ? container
      : { ...container, env: [...(container.env ?? []), env] };
  const { containers, initContainers } = template.spec;
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, [indexKey]: text },
      annotations: { ...template.metadata?.annotations, [indexKey]: text },
    },
    spec: {
      ...template.spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: containers.map(withIndex),
      ...(initContainers && { initContainers: initContainers.map(withIndex) }),
    },
  };
}

function indexedPrefix(job: Job, index: number): string {
  const suffix = `-${index}-`;
  return `${(job.metadata.name ?? '').slice(0, 58 - suffix.length)}${suffix}`;
}
