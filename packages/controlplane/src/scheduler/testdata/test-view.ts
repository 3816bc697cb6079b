import { LabelSelector, type LabelSelectorObject, type Stored } from '@kubewright/apimachinery';
import { Node, type NodeSpec, PersistentVolume, PersistentVolumeClaim, Pod, type PodSpec } from '@kubewright/apimachinery/core/v1';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type { CSINode, StorageClass } from '@kubewright/apimachinery/storage/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { type PendingPod, pendingPod, podInfo } from '../cluster/pod-info.ts';
import { SchedulerCache } from '../cluster/scheduler-cache.ts';
import type { ClusterObjects, ClusterView } from '../framework/cluster-view.ts';

/** The objects of a test cluster. */
export interface TestObjects {
  readonly nodes?: readonly Stored<Node>[];
  readonly pods?: readonly Stored<Pod>[];
  readonly claims?: readonly Stored<PersistentVolumeClaim>[];
  readonly volumes?: readonly Stored<PersistentVolume>[];
  readonly storageClasses?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The selector of the pending pod's workload. */
  readonly workload?: LabelSelectorObject;
}

/** Builds the view of a cluster with these objects. */
export function testView(given: TestObjects = {}): ClusterView {
  const cache = new SchedulerCache();
  for (const node of given.nodes ?? []) cache.putNode(node);
  for (const pod of given.pods ?? []) cache.putPod(podInfo(pod));
  const { claims = [], volumes = [], storageClasses = [], csiNodes = [], budgets = [], namespaces = {} } = given;
  const objects: ClusterObjects = {
    claim: ({ name }) => claims.find(({ metadata }) => metadata.name === name),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOfClass: (name) => volumes.filter(({ spec }) => (spec?.storageClassName ?? '') === name),
    storageClass: (name) => storageClasses.find(({ metadata }) => metadata.name === name),
    csiNode: (name) => csiNodes.find(({ metadata }) => metadata.name === name),
    csiDriver: () => undefined,
    storageCapacities: () => [],
    attachmentsOn: () => [],
    namespaceLabels: (name) => namespaces[name] ?? {},
    namespacesMatching: (selector) => Object.keys(namespaces).filter((name) => selector.matches(namespaces[name])),
    workloadSelector: () => LabelSelector.ofObject(given.workload),
    disruptionBudgets: () => budgets,
    pod: ({ name }) => given.pods?.find(({ metadata }) => metadata.name === name),
  };
  return { cache, objects };
}

/** Builds a node with 4 CPUs, 8 GiB of memory and room for 110 pods. */
export function testNode(
  name: string,
  more: {
    readonly spec?: NodeSpec;
    readonly labels?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly images?: NonNullable<Node['status']>['images'];
  } = {},
): Stored<Node> {
  const { spec = {}, labels = {}, allocatable = {}, images = [] } = more;
  const status = { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }, images };
  const node = Node({ metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } }, spec });
  return stored<Node>({ ...node, status });
}

/** Builds a pod with one container. */
export function testPod(
  name: string,
  more: {
    readonly spec?: Partial<PodSpec>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly namespace?: string;
    readonly status?: Pod['status'];
  } = {},
): Stored<Pod> {
  const { spec, labels = {}, namespace = 'd', status } = more;
  const pod = Pod({ metadata: { name, namespace, labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
  return stored(status ? { ...pod, status } : pod);
}

/** Builds a pending pod with one container. */
export function testPending(name: string, more: Parameters<typeof testPod>[1] = {}): PendingPod {
  return pendingPod(testPod(name, more));
}

/** Returns a pod spec's containers with these resource requests. */
export function requesting(requests: Readonly<Record<string, string>>): Pick<PodSpec, 'containers'> {
  return { containers: [{ name: 'c', image: 'i', resources: { requests } }] };
}
