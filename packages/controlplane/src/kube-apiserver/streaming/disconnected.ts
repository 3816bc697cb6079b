import { badRequest, type StatusError } from '@kubewright/apimachinery';

/** Creates the error for a client that left before its stream was ready. Nothing reads it, but it ends the request. */
export function disconnected(before: string): StatusError {
  return badRequest(`the client disconnected before ${before}`);
}
