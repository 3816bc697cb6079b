import { badRequest, type KubernetesObject } from '@kubewright/apimachinery';

interface PodShape extends KubernetesObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
  };
}

/**
 * Decides which container a request without a name means.
 *
 * @throws StatusError 400 with upstream's words when there are several, or none of that name.
 */
export function chooseContainer(pod: KubernetesObject, asked: string | null): string {
  const { spec } = pod as PodShape;
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const initNames = (spec?.initContainers ?? []).map(({ name }) => name);
  if (asked) {
    if (![...names, ...initNames].includes(asked)) {
      throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
    }
    return asked;
  }
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  const init = initNames.length === 0 ? '' : ` or one of the init containers: [${initNames.join(' ')}]`;
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]${init}`,
  );
}

/** The node that a pod was given to; `undefined` while it waits for one. */
export function nodeNameOf(pod: KubernetesObject): string | undefined {
  // An empty name and none mean the same.
  return (pod as PodShape).spec?.nodeName || undefined;
}
