import { checkDns1123Label, type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import type { Container, Pod, PodSpec } from '../generated/drafts.ts';
import { between, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { qosClassOf } from './pod-qos.ts';
import { podSpec } from './pod-spec-validation.ts';
import { podStatusFaults } from './pod-status-validation.ts';
import { podWarnings } from './pod-warnings.ts';

const specPath = FieldPath.of('spec');
const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Validation of pods and their subresources. */
export const podValidation: readonly ValidationEntry[] = [
  validationOf<Pod>('/v1/pods', {
    validate: (pod) => [...podSpec(pod.spec, { path: specPath }), ...tokenFaults(pod.spec), ...createOnly(pod)],
    validateUpdate: updateFaults,
    warnings: (pod, old) => (old ? [] : podWarnings(pod, nameWarnings(pod))),
  }),
  validationOf<Pod>('/v1/pods/status', { validateUpdate: podStatusFaults }),
  validationOf<Pod>('/v1/pods/ephemeralcontainers', {
    validate: (pod) => podSpec(pod.spec, { path: specPath }),
    validateUpdate: ephemeralFaults,
  }),
  validationOf<Pod>('/v1/pods/resize', {
    validate: (pod) => podSpec(pod.spec, { path: specPath }),
    validateUpdate: resizeFaults,
  }),
];

function createOnly({ metadata, spec }: Pod): readonly FieldError[] {
  // Updates run `validate`, too. Only a stored pod has a resource version.
  if (metadata.resourceVersion || (spec.ephemeralContainers ?? []).length === 0) return [];
  return [forbiddenField(specPath.child('ephemeralContainers'), 'cannot be set on create')];
}

/**
 * Rejects token volumes without a service account. As in upstream, applies only to pods, so that stored templates stay
 * valid.
 */
function tokenFaults({ serviceAccountName, volumes }: PodSpec): readonly FieldError[] {
  if (serviceAccountName) return [];
  return (volumes ?? []).flatMap(({ projected }, volume) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, source) => {
      if (!serviceAccountToken) return [];
      const at = specPath.child('volumes').index(volume).child('projected', 'sources').index(source);
      return [
        forbiddenField(at.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set'),
      ];
    }),
  );
}

function nameWarnings({ metadata }: Pod): readonly string[] {
  const faults = checkDns1123Label(metadata.name ?? '');
  if (faults.length === 0) return [];
  const text =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [`${text}: [${faults.join(' ')}]`];
}

function updateFaults(pod: Pod, old: Pod): readonly FieldError[] {
  const counts = countFaults(pod, old);
  if (counts.length > 0) return counts;
  const faults = [
    ...deadlineFaults(pod.spec, old.spec),
    ...tolerationFaults(pod.spec, old.spec),
    ...gateFaults(pod.spec, old.spec),
  ];
  const changed = changedFields(withStoredMutableFields(pod.spec, old.spec), old.spec);
  if (changed.length === 0) return faults;
  const detail = `pod updates may not change fields other than ${updatable}\n${changed.map((field) => `  ${field}`).join('\n')}`;
  return [...faults, forbiddenField(specPath, detail)];
}

function countFaults(pod: Pod, old: Pod): readonly FieldError[] {
  for (const field of ['containers', 'initContainers'] as const) {
    if ((pod.spec[field] ?? []).length !== (old.spec[field] ?? []).length) {
      return [forbiddenField(specPath.child(field), 'pod updates may not add or remove containers')];
    }
  }
  return [];
}

function deadlineFaults(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const path = specPath.child('activeDeadlineSeconds');
  const seconds = spec.activeDeadlineSeconds;
  if (seconds === undefined) {
    if (old.activeDeadlineSeconds === undefined) return [];
    return [invalidField(path, null, 'must not update from a positive integer to nil value')];
  }
  const outOfRange = between(0, 2_147_483_647)(seconds, path);
  if (outOfRange.length > 0) return outOfRange;
  if (old.activeDeadlineSeconds !== undefined && old.activeDeadlineSeconds < seconds) {
    return [invalidField(path, seconds, 'must be less than or equal to previous value')];
  }
  return [];
}

function tolerationFaults(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const kept = (old.tolerations ?? []).every((wanted) =>
    (spec.tolerations ?? []).some((given) =>
      semanticEqual({ ...given, tolerationSeconds: 0 }, { ...wanted, tolerationSeconds: 0 }),
    ),
  );
  if (kept) return [];
  return [
    forbiddenField(
      specPath.child('tolerations'),
      'existing toleration can not be modified except its tolerationSeconds',
    ),
  ];
}

function gateFaults(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbiddenField(
            specPath.child('schedulingGates').index(index).child('name'),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** Returns the new spec with the stored values of all mutable fields, so that only forbidden changes remain. */
function withStoredMutableFields(spec: PodSpec, old: PodSpec): PodSpec {
  const images = (list: Container[] | null | undefined, before: Container[] | null | undefined): Container[] =>
    (list ?? []).map((container, i) => ({ ...container, image: before?.[i]?.image }));
  const gated = (old.schedulingGates ?? []).length > 0;
  return {
    ...spec,
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...((old.terminationGracePeriodSeconds ?? 0) < 0 &&
      spec.terminationGracePeriodSeconds === 1 && { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }),
    // While a pod has scheduling gates, its placement may still change.
    ...(gated && { nodeSelector: old.nodeSelector, affinity: old.affinity }),
  };
}

function changedFields(spec: PodSpec, old: PodSpec): readonly string[] {
  const names = new Set([...Object.keys(spec), ...Object.keys(old)]) as Set<keyof PodSpec>;
  return [...names]
    .filter((name) => !semanticEqual(spec[name], old[name], name))
    .map((name) => `spec.${name}`)
    .sort();
}

function ephemeralFaults(pod: Pod, old: Pod): readonly FieldError[] {
  const path = specPath.child('ephemeralContainers');
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  return (old.spec.ephemeralContainers ?? []).flatMap((container) => {
    const current = now.get(container.name);
    if (!current)
      return [forbiddenField(path, `existing ephemeral containers "${container.name}" may not be removed\n`)];
    if (semanticEqual(current, container)) return [];
    return [forbiddenField(path, `existing ephemeral containers "${container.name}" may not be changed\n`)];
  });
}

function resizeFaults(pod: Pod, old: Pod): readonly FieldError[] {
  const without = (list: Container[] | null | undefined): unknown =>
    (list ?? []).map(({ resources, resizePolicy, ...rest }) => rest);
  const same =
    semanticEqual(without(pod.spec.containers), without(old.spec.containers)) &&
    semanticEqual(without(pod.spec.initContainers), without(old.spec.initContainers));
  const qos = qosClassOf(pod.spec);
  if (qos !== qosClassOf(old.spec)) {
    return [invalidField(specPath, qosClassOf(old.spec), 'Pod QOS Class may not change as a result of resizing')];
  }
  if (same) return [];
  return [forbiddenField(specPath, 'only cpu and memory resources are mutable')];
}
