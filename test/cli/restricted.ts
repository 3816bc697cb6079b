// The level `restricted` of the Pod Security Standards (1.36). Written independently of our implementation, from the table
// in the documentation; test/cli/shipped.real.test.ts checks the same pods on a real cluster.

interface SecurityContext {
  readonly [field: string]: unknown;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  readonly seccompProfile?: { readonly type?: string };
}

interface Container {
  readonly name: string;
  readonly securityContext?: SecurityContext;
  readonly ports?: readonly { readonly hostPort?: number }[];
}

interface PodSpec {
  readonly [field: string]: unknown;
  readonly securityContext?: SecurityContext;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
}

const volumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** Returns the rules that a pod violates. */
export function restrictedViolations(pod: PodSpec): readonly string[] {
  const host = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => pod[field] === true);
  const kinds = (pod.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
  const containers = [...pod.containers, ...(pod.initContainers ?? [])];
  return [
    ...host,
    ...kinds.filter((kind) => !volumes.includes(kind)).map((kind) => `volume ${kind}`),
    ...containers.flatMap((container) => ofContainer(container, pod).map((rule) => `${container.name}: ${rule}`)),
  ];
}

function ofContainer({ securityContext: own = {}, ports = [] }: Container, pod: PodSpec): readonly string[] {
  const shared = pod.securityContext ?? {};
  const seccomp = own.seccompProfile?.type ?? shared.seccompProfile?.type ?? '';
  const { drop = [], add = [] } = own.capabilities ?? {};
  const rules: Readonly<Record<string, boolean>> = {
    privileged: own['privileged'] !== true,
    allowPrivilegeEscalation: own['allowPrivilegeEscalation'] === false,
    runAsNonRoot: (own['runAsNonRoot'] ?? shared['runAsNonRoot']) === true,
    runAsUser: (own['runAsUser'] ?? shared['runAsUser']) !== 0,
    seccompProfile: ['RuntimeDefault', 'Localhost'].includes(seccomp),
    capabilities: drop.includes('ALL') && add.every((name) => name === 'NET_BIND_SERVICE'),
    procMount: ['Default', undefined].includes(own['procMount'] as string | undefined),
    hostPort: ports.every(({ hostPort = 0 }) => hostPort === 0),
  };
  return Object.keys(rules).filter((rule) => rules[rule] === false);
}
