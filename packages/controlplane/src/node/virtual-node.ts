import type { Random } from '@kubewright/apimachinery';
import type { NodeFacts } from './status/node-description.ts';

/** Returns the address of a node that runs no processes, by its number from 0: 10.0.0.1, 10.0.0.2, … (no last byte is 0 or 255). */
export function virtualNodeIP(index: number): string {
  return `10.0.${Math.floor(index / 254)}.${(index % 254) + 1}`;
}

/** Returns the facts of a node that runs no processes. */
export function virtualNode(options: {
  readonly nodeName: string;
  /** `simulated` or `inproc` */
  readonly driver: string;
  /** Text for users that says how containers run. */
  readonly description: string;
  readonly random: Random;
  /** @defaultValue the address of the first node */
  readonly nodeIP?: string | undefined;
  /** @defaultValue 8 CPUs, 32 GiB, 110 pods */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}): NodeFacts {
  const { nodeName, driver, description, random } = options;
  const id = random.uid();
  return {
    name: nodeName,
    addresses: { internalIP: options.nodeIP ?? virtualNodeIP(0), hostname: nodeName },
    capacity: { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110', ...options.capacity },
    kubeletPort: 10_250,
    labels: { ...options.labels },
    annotations: { 'kubewright.dev/driver': driver, 'kubewright.dev/description': description },
    info: {
      architecture: 'amd64',
      bootID: id,
      containerRuntimeVersion: `${driver}://1`,
      kernelVersion: driver,
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: id,
      operatingSystem: 'linux',
      osImage: driver,
      systemUUID: id,
    },
  };
}
