import { badRequest, type KubernetesObject } from '@kubewright/apimachinery';

interface Named {
  readonly name: string;
}

/** The fields of a pod that streaming subresources need. */
export interface ReachedPod extends KubernetesObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Named[];
    readonly initContainers?: readonly Named[];
    readonly ephemeralContainers?: readonly Named[];
  };
  readonly status?: { readonly phase?: string };
}

/**
 * Returns the container that a request refers to: the requested container, or the only container if none is requested.
 *
 * @throws StatusError 400 with the API server's message (registry/core/pod, 1.36).
 */
export function chooseContainer(pod: ReachedPod, requested: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const podName = pod.metadata.name;
  if (requested !== '') {
    const known = [...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === requested);
    if (!known) throw badRequest(`container ${requested} is not valid for pod ${podName}`);
    return requested;
  }
  const [only] = containers;
  if (containers.length === 1 && only) return only.name;
  if (containers.length === 0) throw badRequest(`a container name must be specified for pod ${podName}`);
  const others: readonly (readonly [string, readonly Named[]])[] = [
    ['init containers', initContainers],
    ['ephemeral containers', ephemeralContainers],
  ];
  const more = others
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => ` or one of the ${what}: ${listOf(list)}`)
    .join('');
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: ${listOf(containers)}${more}`,
  );
}

function listOf(names: readonly Named[]): string {
  return `[${names.map(({ name }) => name).join(' ')}]`;
}
