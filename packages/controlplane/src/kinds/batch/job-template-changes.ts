import { type FieldError, FieldPath } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { Container, Job, PodTemplateSpec } from '../generated/drafts.ts';
import { immutable } from '../validation/check.ts';

const path = FieldPath.of('spec', 'template');

/**
 * Rejects changes to a Job's template. While a Job is suspended and has no active pods, a queue controller may still
 * change its scheduling directives and the resources of its containers. Mirrors upstream's rules (1.36).
 */
export function jobTemplateChanges(template: PodTemplateSpec, old: Job): readonly FieldError[] {
  if (!isSuspended(old)) return immutable(template, { old: old.spec.template, path });
  const expected = withMutableFields(old.spec.template, template);
  return immutable(template.spec, { old: expected, path: path.child('spec') });
}

/** True if a Job runs no pods: it has never started, or its controller has suspended it. */
function isSuspended({ spec, status }: Job): boolean {
  if (!spec.suspend || (status.active ?? 0) > 0) return false;
  const isReported = status.conditions?.some(({ type, status: value }) => type === 'Suspended' && value === 'True');
  return !status.startTime || isReported === true;
}

/** Returns the spec of the old template with the new values of the fields that may change. */
function withMutableFields({ spec: old }: PodTemplateSpec, { spec }: PodTemplateSpec): PodTemplateSpec['spec'] {
  const { nodeSelector, tolerations, schedulingGates } = spec;
  // Only the node affinity may change, not the other parts of the affinity.
  const affinity = { ...old.affinity, nodeAffinity: spec.affinity?.nodeAffinity };
  const isEmpty = Object.values(affinity).every((part) => part === undefined);
  const { nodeSelector: _1, tolerations: _2, schedulingGates: _3, affinity: _4, ...kept } = old;
  return {
    ...kept,
    ...defined({ nodeSelector, tolerations, schedulingGates }),
    ...(isEmpty && spec.affinity === undefined ? {} : { affinity: defined(affinity) }),
    containers: withResources(old.containers ?? [], spec.containers ?? []),
    ...(old.initContainers && { initContainers: withResources(old.initContainers, spec.initContainers ?? []) }),
  };
}

/** Returns the old containers, each with the resources of the new container that has the same position and name. */
function withResources(old: readonly Container[], now: readonly Container[]): Container[] {
  return old.map((container, index) => {
    const { name, resources } = now[index] ?? container;
    if (name !== container.name) return container;
    const { resources: _, ...kept } = container;
    return { ...kept, ...defined({ resources }) };
  });
}
