import type { Pod } from '@kubewright/apimachinery/core/v1';

/** A host port that a pod requests. */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

const everyAddress = '0.0.0.0';

/** Returns the host ports of a pod's containers and restartable init containers. */
export function podHostPorts({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const found: HostPort[] = [];
  for (const { ports } of [...sidecars, ...(spec?.containers ?? [])]) {
    for (const { hostPort = 0, hostIP, protocol } of ports ?? []) {
      if (hostPort > 0) found.push({ ip: hostIP || everyAddress, port: hostPort, protocol: protocol || 'TCP' });
    }
  }
  return found;
}

/** True if two host ports conflict. 0.0.0.0 conflicts with every address. */
export function portsCollide(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress;
  return a.port === b.port && a.protocol === b.protocol && sameAddress;
}
