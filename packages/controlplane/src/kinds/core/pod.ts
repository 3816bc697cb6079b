import { formatTime } from '@kubewright/apimachinery/internal';
import { type BuiltinKind, builtinKind, type KindStrategy, type SubresourceStrategy } from '../builtin-kind.ts';
import { copyJson } from '../copy-json.ts';
import { dropUnused } from '../drop-unused.ts';
import type { Container, Pod, PodCondition, VolumeMountStatus } from '../generated/drafts.ts';
import { qosClassOf } from './pod-qos.ts';

/** Pods and their subresources (core/v1 `Pod`). */
export const pods: BuiltinKind = builtinKind<Pod>({
  resource: '/v1/pods',
  struct: 'v1.Pod',
  generation: 'spec',
  strategy: podStrategy(),
  subresources: {
    status: statusStrategy(),
    ephemeralcontainers: ephemeralContainersStrategy(),
    resize: resizeStrategy(),
  },
  fieldLabels: {
    'spec.nodeName': (pod) => pod.spec.nodeName ?? '',
    'spec.host': (pod) => pod.spec.nodeName ?? '',
    'spec.restartPolicy': (pod) => pod.spec.restartPolicy ?? '',
    'spec.schedulerName': (pod) => pod.spec.schedulerName ?? '',
    'spec.serviceAccountName': (pod) => pod.spec.serviceAccountName ?? '',
    'spec.hostNetwork': (pod) => String(pod.spec.hostNetwork ?? false),
    'status.phase': (pod) => pod.status.phase ?? '',
    'status.podIP': (pod) => pod.status.podIP ?? '',
    'status.podIPs': (pod) => pod.status.podIP ?? '',
    'status.nominatedNodeName': (pod) => pod.status.nominatedNodeName ?? '',
  },
});

function podStrategy(): KindStrategy<Pod> {
  return {
    prepareForCreate(pod, { clock }) {
      // In templates, upstream keeps negative grace periods.
      if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1;
      pod.status = { phase: 'Pending', qosClass: qosClassOf(pod.spec) };
      if ((pod.spec.schedulingGates ?? []).length > 0)
        pod.status.conditions = [schedulingGated(formatTime(clock.now()))];
    },
    gracefulSeconds(pod, requested) {
      const ended = pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded';
      // A pod without a node is not running, and a finished pod has nothing left to stop.
      if (!pod.spec.nodeName || ended) return 0;
      const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
      return seconds < 0 ? 1 : seconds;
    },
  };
}

function schedulingGated(now: string): PodCondition {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

function statusStrategy(): SubresourceStrategy<Pod> {
  return {
    resets: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    prepareForUpdate(pod, old) {
      // Old kubelets corrupted owner references, which broke garbage collection, so a status write cannot change them.
      if (old.metadata.ownerReferences) pod.metadata.ownerReferences = copyJson(old.metadata.ownerReferences);
      else delete pod.metadata.ownerReferences;
      if (old.status.qosClass) pod.status.qosClass ||= old.status.qosClass;
      keepObservedGenerations(pod, old);
      dropUnusedStatus(pod, old);
    },
  };
}

/** Drops status fields of features that are off by default in 1.36, unless the stored pod already uses them. */
function dropUnusedStatus({ status }: Pod, { status: old }: Pod): void {
  dropUnused(status, old, ['nodeAllocatableResourceClaimStatuses']);
  if (mountsOf(old).some(({ volumeStatus }) => volumeStatus)) return;
  for (const mount of mountsOf(status)) delete mount.volumeStatus;
}

function mountsOf(status: Pod['status']): readonly VolumeMountStatus[] {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  const all = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].flatMap((list) => list ?? []);
  return all.flatMap(({ volumeMounts }) => volumeMounts ?? []);
}

/** Keeps `observedGeneration` if a client that does not support the field omits it. */
function keepObservedGenerations(pod: Pod, old: Pod): void {
  if (old.status.observedGeneration) pod.status.observedGeneration ||= old.status.observedGeneration;
  const remembered = new Map<string, number[]>();
  for (const { type, observedGeneration } of old.status.conditions ?? []) {
    remembered.set(type, [...(remembered.get(type) ?? []), observedGeneration ?? 0]);
  }
  for (const condition of pod.status.conditions ?? []) {
    const generation = remembered.get(condition.type)?.shift();
    if (generation) condition.observedGeneration ||= generation;
  }
}

function ephemeralContainersStrategy(): SubresourceStrategy<Pod> {
  return {
    owns: ['spec'],
    keepsMetadata: true,
    prepareForUpdate(pod, old) {
      const { ephemeralContainers } = pod.spec;
      pod.spec = copyJson(old.spec);
      if (ephemeralContainers) pod.spec.ephemeralContainers = ephemeralContainers;
      else delete pod.spec.ephemeralContainers;
    },
  };
}

function resizeStrategy(): SubresourceStrategy<Pod> {
  return {
    owns: ['spec'],
    keepsMetadata: true,
    prepareForUpdate(pod, old) {
      const { resources } = pod.spec;
      const containers = resized(pod.spec.containers, old.spec.containers);
      const initContainers = resized(pod.spec.initContainers, old.spec.initContainers);
      // If containers were added, removed or renamed, leave the input unchanged, so that validation rejects it.
      if (!containers || !initContainers) return;
      pod.spec = copyJson(old.spec);
      pod.spec.containers = containers;
      if (old.spec.initContainers) pod.spec.initContainers = initContainers;
      if (resources) pod.spec.resources = resources;
    },
  };
}

function resized(
  containers: readonly Container[] | null | undefined,
  old: readonly Container[] | null | undefined,
): Container[] | undefined {
  const sent = containers ?? [];
  const stored = old ?? [];
  if (sent.length !== stored.length || sent.some(({ name }, i) => name !== stored[i]?.name)) return undefined;
  return sent.map(({ resources, resizePolicy }, i) => {
    const container = { ...copyJson(stored[i] as Container), resources };
    if (resizePolicy) container.resizePolicy = resizePolicy;
    return container;
  });
}
