import { StatusError } from '@kubewright/apimachinery';
import { parseRequestInfo, type RequestInfo } from '../request-info/index.ts';

/** Matches every long-running path, so a path that does not match needs no further check. */
const mayBeLongRunning = /[?&]watch(?:[=&]|$)|\/watch\/|\/(?:log|exec|attach|portforward|proxy)(?:[/?]|$)/;
const streamingSubresources = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/**
 * True if a request has no deadline: watches, logs and connections to pods. The method matters because it decides the verb: a
 * POST is never a watch, whatever its query says. Mirrors the verbs and subresources that kube-apiserver exempts (1.36).
 */
export function isLongRunning(method: string, path: string): boolean {
  if (!mayBeLongRunning.test(path)) return false;
  const info = readable(method, path);
  // A path such as `/api/v1/watch/pods` determines the verb, regardless of the method.
  return info !== undefined && isStreaming(info) && (info.verb !== 'watch' || method === 'GET');
}

/**
 * True if the client may stop reading for any length of time: logs, which a user may read in a pager, and connections to pods,
 * but not watches.
 */
export function mayPause(method: string, path: string): boolean {
  return isLongRunning(method, path) && readable(method, path)?.verb !== 'watch';
}

/** True if the info is that of a watch, a log or a connection to a pod. */
export function isStreaming({ isResource, verb, subresource }: RequestInfo): boolean {
  return isResource && (verb === 'watch' || streamingSubresources.has(subresource));
}

function readable(method: string, path: string): RequestInfo | undefined {
  try {
    return parseRequestInfo(method, path);
  } catch (error) {
    if (error instanceof StatusError) return undefined; // the response is a 400
    throw error;
  }
}
