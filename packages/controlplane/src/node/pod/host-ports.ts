import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodFailure } from './pod-state.ts';

/** Rejects a pod if another pod on the node uses one of its host ports. Mirrors the kubelet's `NodePorts` predicate. */
export function hostPortConflict(pod: Pod, others: readonly Pod[]): PodFailure | undefined {
  const wanted = hostPorts(pod);
  const taken = others.flatMap(hostPorts);
  const conflict = wanted.some((port) =>
    taken.some(
      (other) =>
        other.port === port.port &&
        other.protocol === port.protocol &&
        (other.ip === port.ip || other.ip === '0.0.0.0' || port.ip === '0.0.0.0'),
    ),
  );
  if (!conflict) return undefined;
  const message =
    "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  return { reason: 'NodePorts', message };
}

function hostPorts({
  spec,
}: Pod): readonly { readonly ip: string; readonly port: number; readonly protocol: string }[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostPort = 0, hostIP, protocol = 'TCP' }) => ({ ip: hostIP || '0.0.0.0', port: hostPort, protocol })),
  );
}
