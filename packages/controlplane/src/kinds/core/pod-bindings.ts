import { badRequest, type KubernetesObject, StatusError } from '@kubewright/apimachinery';
import type { VirtualResource } from '@kubewright/apiserver/internal';

/** Sends a request to the server itself. */
type Ask = (
  method: string,
  path: string,
  request: { readonly body: unknown },
) => Promise<{ readonly status: number; readonly text: string }>;

/** Serves `bindings`: the old name of `pods/binding`, with the pod's name in the body. */
export function podBindings(ask: () => Ask): VirtualResource {
  return {
    async create({ object, namespace, dryRun }) {
      if (!object.metadata.name) throw badRequest('Name parameter required.');
      const name = encodeURIComponent(object.metadata.name);
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding${dryRun ? '?dryRun=All' : ''}`;
      const { status, text } = await ask()('POST', path, { body: object });
      const answer = JSON.parse(text);
      if (status >= 400) throw new StatusError(answer);
      return answer as KubernetesObject;
    },
  };
}
