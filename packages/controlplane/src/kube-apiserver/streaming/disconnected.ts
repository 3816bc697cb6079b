import { badRequest, type StatusError } from '@kubewright/apimachinery';

/**
 * Returns the error for a client that disconnected before its stream was ready. The error ends the request, although no
 * client receives it.
 */
export function disconnected(before: string): StatusError {
  return badRequest(`the client disconnected before ${before}`);
}
