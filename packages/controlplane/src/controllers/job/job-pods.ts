import { isDeleting, type Stored } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { EnvVar, Pod, PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { podFromTemplate } from '../pods/pod-control.ts';
import { indexKey } from './completion-index.ts';

/** The finalizer that keeps a pod until its job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** The annotation that holds the number of failures of a pod's index before this pod. */
export const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';

/** True if the job is indexed: its pods have completion indexes. */
export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

/**
 * True if a pod counts as failed: it has failed, or it is terminating without having succeeded and the job replaces terminating
 * pods.
 */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return replacesTerminating(job) && isDeleting(pod) && pod.status?.phase !== 'Succeeded';
}

/** True if the job replaces a pod as soon as it is being deleted, rather than after it has finished. */
export function replacesTerminating({ spec }: Job): boolean {
  return (spec?.podReplacementPolicy ?? 'TerminatingOrFailed') !== 'Failed';
}

/** Builds a pod of a job. Set `index` for an indexed job, and `failures` if the job limits failures per index. */
export function jobPod(
  job: Stored<Job>,
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
    ...defined({ annotations, generateName }),
  };
  return { ...pod, metadata };
}

/**
 * Returns the time at which a pod finished, in milliseconds: when its last container ended, or else the time of its Ready
 * condition, its deletion, or its creation.
 */
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

function indexedPrefix(job: Stored<Job>, index: number): string {
  const suffix = `-${index}-`;
  return `${job.metadata.name.slice(0, 58 - suffix.length)}${suffix}`;
}
