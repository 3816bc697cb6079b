import { StatusError } from '@kubewright/apimachinery';

/** Makes the answer for a subresource of pods that the way to this node does not offer. */
export function notServed(what: string, instead: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `pods/${what} is not implemented by this server; ${instead}`,
    code: 501,
  });
}
