import { StatusError } from '@kubewright/apimachinery';

/** Returns the error for a pod subresource that the node connector does not support. */
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
