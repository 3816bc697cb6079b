import { availableParallelism, hostname, release, totalmem } from 'node:os';
import type { Random } from '@kubewright/apimachinery';
import type { NodeFacts } from './status/node-description.ts';

const kubeletVersion = 'v1.36.3';
const kubeletPort = 10_250;
const sharedNetwork =
  'pods share the loopback network of this machine: configure programs to listen on POD_IP, because only one program can listen on a port of all addresses; service names do not resolve: use cluster IPs or the variables <NAME>_SERVICE_HOST and <NAME>_SERVICE_PORT';

/** Describes a node on this machine. */
export function nodeFacts(
  name: string,
  options: {
    readonly nodeIP: string;
    readonly capacity: Readonly<Record<string, string>>;
    readonly random: Random;
    /** True if pods share this machine's network. */
    readonly isShared: boolean;
    readonly driver: 'process' | 'container';
  },
): NodeFacts {
  const { nodeIP, capacity, random, isShared, driver } = options;
  const [what, version] =
    driver === 'process' ? ['local processes', process.version.slice(1)] : ['rootless containers', '1'];
  const id = random.uid();
  return {
    name,
    addresses: { internalIP: nodeIP, hostname: name },
    capacity: {
      cpu: String(availableParallelism()),
      memory: `${Math.floor(totalmem() / 1024)}Ki`,
      'ephemeral-storage': '100Gi',
      pods: '110',
      ...capacity,
    },
    kubeletPort,
    labels: {},
    note: isShared ? { reason: 'SharedNetwork', text: sharedNetwork } : undefined,
    annotations: {
      'kubewright.dev/driver': driver,
      'kubewright.dev/description': `Containers on this node run as ${what} on ${hostname()}: a development tool, not a security boundary`,
    },
    info: {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      bootID: id,
      containerRuntimeVersion: `${driver}://${version}`,
      kernelVersion: release(),
      kubeProxyVersion: '',
      kubeletVersion,
      machineID: id.replaceAll('-', ''),
      operatingSystem: process.platform === 'win32' ? 'windows' : process.platform,
      osImage: `${process.platform} ${release()}`,
      systemUUID: id,
    },
  };
}
