import { badRequest, type KubernetesObject, StatusError } from '@kubewright/apimachinery';
import type { VirtualResource } from '@kubewright/apiserver/internal';

/** Sends a request to the server itself. */
type Send = (
  method: string,
  path: string,
  request: { readonly body: unknown },
) => Promise<{ readonly status: number; readonly text: string }>;

/** Serves `bindings`, the old form of `pods/binding`: the object's name is the pod's name. */
export function podBindings(send: () => Send): VirtualResource {
  return {
    async create({ object, namespace, dryRun }) {
      if (!object.metadata.name) throw badRequest('Name parameter required.');
      const name = encodeURIComponent(object.metadata.name);
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding${dryRun ? '?dryRun=All' : ''}`;
      const { status, text } = await send()('POST', path, { body: object });
      const response = JSON.parse(text);
      if (status >= 400) throw new StatusError(response);
      return response as KubernetesObject;
    },
  };
}
