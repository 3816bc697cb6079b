import type { Stored } from '@kubewright/apimachinery';
import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';
import type { Affinity, Pod, PodSpec, Toleration } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { podFromTemplate } from '../pods/pod-control.ts';

/** The label that holds the revision hash of a pod. */
export const revisionLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';
const nameField = 'metadata.name';

/** Builds a daemon set's pod for a node. The pod's node affinity limits the scheduler to that node. */
export function daemonPod(
  set: Stored<DaemonSet>,
  { nodeName, hash }: { readonly nodeName: string; readonly hash: string },
): Pod {
  const pod = podFromTemplate(set.spec?.template, set);
  const generation = templateGeneration(set);
  const labels = {
    ...pod.metadata.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const spec: PodSpec = { ...pod.spec!, tolerations: daemonTolerations(pod.spec!) };
  const affinity = pinned(spec.affinity, nodeName);
  return { ...pod, metadata: { ...pod.metadata, labels }, spec: { ...spec, affinity } };
}

/** True if a pod was created from the daemon set's current template. */
export function isUpdated(pod: Pod, { set, hash }: { readonly set: DaemonSet; readonly hash: string }): boolean {
  const { labels = {} } = pod.metadata;
  const generation = templateGeneration(set);
  return labels[revisionLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}

/** Returns the name of the node that a pod runs on, or of the node that its affinity selects. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const field = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === nameField && operator === 'In');
  return field?.values?.length === 1 ? field.values[0] : undefined;
}

/** Returns the tolerations of a daemon set's pods, including those that keep daemon pods running on unhealthy nodes. */
export function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] {
  const added: readonly Toleration[] = [
    ...['not-ready', 'unreachable'].map((key) => toleration(key, 'NoExecute')),
    ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) =>
      toleration(key, 'NoSchedule'),
    ),
    ...(hostNetwork ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
  // Replaces tolerations that have a time limit, so that the pods stay indefinitely.
  const kept = tolerations.map((each) => added.find((one) => isSame(one, each)) ?? each);
  return [...kept, ...added.filter((one) => !tolerations.some((each) => isSame(each, one)))];
}

function toleration(key: string, effect: Toleration['effect']): Toleration {
  return { key: `node.kubernetes.io/${key}`, operator: 'Exists', ...defined({ effect }) };
}

function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '');
}

/** Returns the template generation from upstream's deprecated annotation, or undefined. */
function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(BigInt(text.replace('+', ''))) : undefined;
}

function pinned(affinity: Affinity | undefined, nodeName: string): Affinity {
  const matchFields = [{ key: nameField, operator: 'In' as const, values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...affinity, nodeAffinity };
}
