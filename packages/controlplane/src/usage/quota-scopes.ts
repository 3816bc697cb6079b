import { LabelSelector } from '@kubewright/apimachinery';
import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';

/** A scope of a quota: a condition that an object must meet to be charged. */
export type QuotaScope = ScopedResourceSelectorRequirement;

/** Returns all scopes of a quota, from its `scopes` and its `scopeSelector`. */
export function scopesOf({ spec }: ResourceQuota): readonly QuotaScope[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }));
  // The server has validated the names.
  return [...(scopes as readonly QuotaScope[]), ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** True if a pod matches a scope. */
export function isPodInScope(pod: Pod, scope: QuotaScope): boolean {
  const { activeDeadlineSeconds, priorityClassName = '' } = pod.spec ?? {};
  const isTerminating = activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return pod.status?.qosClass === 'BestEffort';
    case 'NotBestEffort':
      return pod.status?.qosClass !== 'BestEffort';
    case 'PriorityClass':
      return matches(scope, priorityClassName === '' ? [] : [priorityClassName]);
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

/** True if a claim matches a scope. */
export function isClaimInScope({ spec, status }: PersistentVolumeClaim, scope: QuotaScope): boolean {
  if (scope.scopeName !== 'VolumeAttributesClass') return false;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return matches(
    scope,
    names.filter((name): name is string => name !== undefined && name !== ''),
  );
}

function matches({ scopeName, operator, values }: QuotaScope, names: readonly string[]): boolean {
  const selector = LabelSelector.ofObject({
    matchExpressions: [{ key: scopeName, operator, ...defined({ values }) }],
  });
  if (names.length === 0) return selector.matches({});
  return names.some((name) => selector.matches({ [scopeName]: name }));
}

function hasCrossNamespaceAffinity({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms: readonly PodAffinityTerm[] = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}
