import { isAlreadyExists } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

/** Name and address of the fake node. */
export const fakeNode = { name: 'fake-node', hostIP: '10.0.0.1' };

const healthy = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

/** Registers the node, unless another test has registered it. */
export async function registerNode(client: KubernetesClient, nowMs: number): Promise<void> {
  const { name, hostIP } = fakeNode;
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  try {
    await client.resource(Node).create(Node({ metadata: { name, labels } }));
  } catch (error) {
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const capacity = { cpu: '8', memory: '32Gi', pods: '110' };
  const time = formatTime(nowMs);
  // Use a patch, because controllers also write to new nodes.
  const body = {
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: hostIP },
        { type: 'Hostname', address: name },
      ],
      conditions: healthy.map(([type, status, reason, message]) => ({
        type,
        status,
        reason,
        message,
        lastHeartbeatTime: time,
        lastTransitionTime: time,
      })),
    },
  };
  await client.resource(Node).status.patch({ name }, { type: 'merge', body });
}
