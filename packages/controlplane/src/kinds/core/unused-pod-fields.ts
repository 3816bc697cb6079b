import type { Draft } from '@kubewright/apiserver';
import type { Container, PodSpec, VolumeProjection } from '../generated/drafts.ts';

/** The path of the pod spec in each workload kind. */
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  '/v1/pods': ['spec'],
  '/v1/podtemplates': ['template', 'spec'],
  '/v1/replicationcontrollers': ['spec', 'template', 'spec'],
  'apps/v1/daemonsets': ['spec', 'template', 'spec'],
  'apps/v1/deployments': ['spec', 'template', 'spec'],
  'apps/v1/replicasets': ['spec', 'template', 'spec'],
  'apps/v1/statefulsets': ['spec', 'template', 'spec'],
  'batch/v1/jobs': ['spec', 'template', 'spec'],
  'batch/v1/cronjobs': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/**
 * Drops pod fields of features that are off by default in 1.36, unless the stored object already uses them. Mirrors
 * `DropDisabledPodFields`.
 */
export function dropUnusedOfPods(resource: string, now: Draft, old: object | undefined): void {
  const path = podSpecPaths[resource];
  if (!path) return;
  const spec = specAt(now, path);
  if (spec) dropUnused(spec, old && specAt(old, path));
}

function specAt(object: object, path: readonly string[]): PodSpec | undefined {
  let value: unknown = object;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return (value ?? undefined) as PodSpec | undefined;
}

function dropUnused(spec: PodSpec, old: PodSpec | undefined): void {
  if (!old?.schedulingGroup) delete spec.schedulingGroup;
  if (!usesStopSignals(old)) for (const container of containersIn(spec)) dropStopSignal(container);
  for (const field of ['clusterTrustBundle', 'podCertificate'] as const) {
    if (projections(old).some((source) => source[field])) continue;
    for (const source of projections(spec)) delete source[field];
  }
}

function containersIn(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

function usesStopSignals(spec: PodSpec | undefined): boolean {
  return containersIn(spec).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined);
}

function dropStopSignal(container: Container): void {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (!lifecycle.postStart && !lifecycle.preStop) delete container.lifecycle;
}

function projections(spec: PodSpec | undefined): readonly VolumeProjection[] {
  return (spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
}
