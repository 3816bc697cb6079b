import { isDeleting, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { podFromTemplate } from '../pods/pod-control.ts';
import { isPodAvailable, isPodReady } from '../pods/pod-state.ts';

const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** An object with a namespace and name, which may not be stored yet. */
type Keyed<T extends KubernetesObject> = T & {
  readonly metadata: { readonly namespace: string; readonly name: string };
};

/** Returns the first ordinal of a set. */
export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** Returns the ordinal in a pod's name, or undefined if the name does not belong to the set. */
export function ordinalOf(set: StatefulSet, pod: Stored<Pod>): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name } = pod.metadata;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9]\d{0,9})$/.test(digits) ? Number(digits) : undefined;
}

/** Builds the pod of an ordinal from a revision's template, with the ordinal's identity and storage. */
export function statefulPod(
  set: Stored<StatefulSet>,
  options: { readonly ordinal: number; readonly template: PodTemplateSpec | undefined; readonly revision: string },
): Pod {
  const { ordinal, template, revision } = options;
  const pod = podFromTemplate(template, set);
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { ...pod.metadata.labels, [revisionLabel]: revision };
  const { serviceName } = set.spec ?? {};
  return withIdentity(
    {
      ...pod,
      metadata: { ...pod.metadata, namespace: set.metadata.namespace, name, labels },
      spec: { ...pod.spec!, hostname: name, ...(serviceName && { subdomain: serviceName }) },
    },
    { set, ordinal },
  );
}

/** Returns the pod with the labels and volumes of its ordinal. */
export function withIdentity(
  pod: Keyed<Pod>,
  { set, ordinal }: { readonly set: StatefulSet; readonly ordinal: number },
): Pod {
  const { name } = pod.metadata;
  const labels = { ...pod.metadata.labels, [nameLabel]: name, [indexLabel]: String(ordinal) };
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? '');
  const volumes = [
    ...claims.map((claim) => ({
      name: claim,
      persistentVolumeClaim: { claimName: claimName(set, { claim, ordinal }) },
    })),
    ...(pod.spec?.volumes ?? []).filter((volume) => !claims.includes(volume.name)),
  ];
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...pod.spec!, ...(volumes.length > 0 && { volumes }) },
  };
}

/** True if a pod has the labels and volumes of its ordinal. */
export function hasIdentity(
  pod: Pod,
  { set, ordinal }: { readonly set: StatefulSet; readonly ordinal: number },
): boolean {
  const { labels } = pod.metadata;
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? '');
  return (
    labels?.[nameLabel] === pod.metadata.name &&
    labels?.[indexLabel] === String(ordinal) &&
    claims.every((claim) =>
      pod.spec?.volumes?.some(
        (volume) =>
          volume.name === claim && volume.persistentVolumeClaim?.claimName === claimName(set, { claim, ordinal }),
      ),
    )
  );
}

/** Builds the claims of an ordinal. */
export function claimsOf(set: Stored<StatefulSet>, ordinal: number): readonly Keyed<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((claim) => {
    const labels = { ...claim.metadata.labels, ...set.spec?.selector.matchLabels };
    const name = claimName(set, { claim: claim.metadata.name ?? '', ordinal });
    const { status: _status, ...rest } = claim;
    return {
      ...rest,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...claim.metadata, name, namespace, labels },
    };
  });
}

function claimName(set: StatefulSet, { claim, ordinal }: { readonly claim: string; readonly ordinal: number }): string {
  return `${claim}-${set.metadata.name}-${ordinal}`;
}

/** True if a pod is running, ready and not being deleted. */
export function isHealthy(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod) && !isDeleting(pod);
}

/** True if a pod is healthy and has been ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, at: { readonly minReadySeconds: number; readonly nowMs: number }): boolean {
  return isHealthy(pod) && isPodAvailable(pod, at);
}

/** Returns the name of the revision that a pod was created from. */
export function podRevision({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}
