import { StatusError } from '@kubewright/apimachinery';
import { parseRequestInfo, type RequestInfo } from '../request-info/index.ts';

/** Matches every long-running path, so a path that does not match needs no further check. */
const mayBeLongRunning = /[?&]watch(?:[=&]|$)|\/watch\/|\/(?:log|exec|attach|portforward|proxy)(?:[/?]|$)/;
const streamingSubresources = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/**
 * Reports whether a request has no deadline: watches, logs and connections to pods. The method matters because it
 * determines the verb: a POST is never a watch, regardless of its query. Mirrors the verbs and subresources that
 * kube-apiserver exempts (1.36).
 */
export function isLongRunning(method: string, path: string): boolean {
  if (!mayBeLongRunning.test(path)) return false;
  const info = readable(method, path);
  // A path such as `/api/v1/watch/pods` determines the verb, regardless of the method.
  return info !== undefined && isStreaming(info) && (info.verb !== 'watch' || method === 'GET');
}

/**
 * Reports whether the client may stop reading for any length of time. True for logs, which a user may read in a pager,
 * and for connections to pods, but not for watches.
 */
export function mayPause(method: string, path: string): boolean {
  return isLongRunning(method, path) && readable(method, path)?.verb !== 'watch';
}

/** Reports whether a request is a watch, a log or a connection to a pod. */
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
