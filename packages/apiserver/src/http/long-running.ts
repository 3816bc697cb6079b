import { StatusError } from '@kubewright/apimachinery';
import { parseRequestInfo, type RequestInfo } from '../request-info/index.ts';

/** Every long-running path contains one of these, so most paths need no further check. */
const PERHAPS = /[?&]watch(?:[=&]|$)|\/(?:log|exec|attach|portforward|proxy)(?:[/?]|$)/;
const STREAMING_SUBRESOURCES = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/**
 * True if a request has no deadline: watches, logs, and requests that turn into a stream. The method matters because it decides
 * the verb: a POST is never a watch, whatever its query says. Mirrors the verbs and subresources that kube-apiserver exempts
 * (1.36).
 */
export function isLongRunning(method: string, path: string): boolean {
  if (!PERHAPS.test(path)) return false;
  const info = readable(method, path);
  if (info === undefined || !info.isResource) return false;
  return info.verb === 'watch' || STREAMING_SUBRESOURCES.has(info.subresource);
}

function readable(method: string, path: string): RequestInfo | undefined {
  try {
    return parseRequestInfo(method, path);
  } catch (error) {
    if (error instanceof StatusError) return undefined; // answered with a 400
    throw error;
  }
}
