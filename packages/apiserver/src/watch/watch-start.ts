import type { StatusCause } from '@kubewright/apimachinery/meta/v1';
import { invalidListOptions, invalidResourceVersion } from './watch-failures.ts';
import type { WatchRequest } from './watch-request.ts';

const maxUint64 = 2n ** 64n - 1n;

/** The starting point of a watch. */
export type WatchStart =
  /** The state first, no older than a revision; then, if requested, a bookmark that marks its end. */
  | { readonly type: 'state'; readonly notOlderThan: number; readonly markEnd: boolean }
  /** Changes after a revision. */
  | { readonly type: 'after'; readonly revision: number }
  /** Changes from now on. */
  | { readonly type: 'now' };

/**
 * Decides where a watch starts, as kube-apiserver 1.36 does.
 *
 * @throws StatusError if the options cannot be combined.
 */
export function watchStart(request: WatchRequest): WatchStart {
  const { sendInitialEvents, allowWatchBookmarks = false } = request;
  validateMatch(request);
  const revision = parseRevision(request.resourceVersion ?? '');
  // Unless the client sets sendInitialEvents, a watch without a version starts with the current state, as before that
  // option existed.
  if (sendInitialEvents ?? revision === 0) {
    return { type: 'state', notOlderThan: revision, markEnd: allowWatchBookmarks };
  }
  return revision === 0 ? { type: 'now' } : { type: 'after', revision };
}

function validateMatch(request: WatchRequest): void {
  const { resourceVersionMatch: match, sendInitialEvents } = request;
  const causes: Required<StatusCause>[] = [];
  const forbid = (text: string): void => {
    causes.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${text}`, field: 'resourceVersionMatch' });
  };
  if (sendInitialEvents === undefined) {
    if (match) forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  } else if (match !== 'NotOlderThan') {
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (match && match !== 'NotOlderThan') {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`,
      field: 'resourceVersionMatch',
    });
  }
  if (causes.length > 0) throw invalidListOptions(causes);
}

function parseRevision(text: string): number {
  if (text === '') return 0;
  if (!/^[0-9]+$/.test(text)) throw invalidResourceVersion(text, 'invalid syntax');
  if (BigInt(text) > maxUint64) throw invalidResourceVersion(text, 'value out of range');
  // Versions beyond 2^53 are in the future, regardless of rounding.
  return Number(text);
}
