import type { ObjectMeta } from '@kubewright/apimachinery';
import type { Node, NodeCondition, NodeStatus } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';

/** Static facts about a node. */
export interface NodeFacts {
  readonly name: string;
  readonly addresses: { readonly internalIP: string; readonly hostname: string };
  /** `cpu`, `memory`, `pods`, …, as quantities. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly info: NonNullable<NodeStatus['nodeInfo']>;
  readonly kubeletPort: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** A difference from regular nodes, recorded as an event when the node starts. @defaultValue none */
  readonly note?: { readonly reason: string; readonly text: string } | undefined;
}

/** Returns the metadata with the labels and annotations that every node has. */
export function nodeMetadata(facts: NodeFacts): ObjectMeta {
  const { operatingSystem, architecture } = facts.info;
  return {
    name: facts.name,
    labels: {
      'kubernetes.io/hostname': facts.name,
      'kubernetes.io/os': operatingSystem,
      'kubernetes.io/arch': architecture,
      'beta.kubernetes.io/os': operatingSystem,
      'beta.kubernetes.io/arch': architecture,
      ...facts.labels,
    },
    annotations: facts.annotations,
  };
}

/**
 * Returns a node's status. Extended resources that another client wrote into its capacity are copied to allocatable, as a kubelet
 * does. Heartbeat times change only with the condition or if `heartbeat` is set.
 */
export function nodeStatus(
  facts: NodeFacts,
  options: {
    readonly before: Node | undefined;
    readonly nowMs: number;
    readonly heartbeat: boolean;
    /** True if a disk that the node writes to is full. */
    readonly diskPressure: boolean;
  },
): NodeStatus {
  const { before, nowMs, heartbeat, diskPressure } = options;
  const extended = Object.fromEntries(
    Object.entries(before?.status?.capacity ?? {}).filter(([name]) => name.includes('/') && !(name in facts.capacity)),
  );
  const capacity = { ...extended, ...facts.capacity };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: facts.addresses.internalIP },
      { type: 'Hostname', address: facts.addresses.hostname },
    ],
    nodeInfo: facts.info,
    daemonEndpoints: { kubeletEndpoint: { Port: facts.kubeletPort } },
    conditions: conditions(diskPressure).map((condition) => {
      const old = before?.status?.conditions?.find(({ type }) => type === condition.type);
      const now = formatTime(nowMs);
      const same = old?.status === condition.status && old.reason === condition.reason;
      return {
        ...condition,
        lastHeartbeatTime: same && !heartbeat ? (old.lastHeartbeatTime ?? now) : now,
        lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now,
      };
    }),
  };
}

/** Returns a kubelet's conditions, with its wording. */
function conditions(diskPressure: boolean): readonly NodeCondition[] {
  return [
    {
      type: 'MemoryPressure',
      status: 'False',
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
    },
    diskPressure
      ? {
          type: 'DiskPressure',
          status: 'True',
          reason: 'KubeletHasDiskPressure',
          message: 'kubelet has disk pressure',
        }
      : {
          type: 'DiskPressure',
          status: 'False',
          reason: 'KubeletHasNoDiskPressure',
          message: 'kubelet has no disk pressure',
        },
    {
      type: 'PIDPressure',
      status: 'False',
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
    },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  ];
}
