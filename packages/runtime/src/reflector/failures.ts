import { isForbidden, isNotFound, StatusError } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { MalformedJsonError } from '../scan/json-bytes.ts';

/** Codes of failures to connect. A single failure to connect counts as an outage. */
const noConnection: ReadonlySet<string> = new Set(['KW2001', 'KW2002', 'KW2008', 'KW2009']);

/** Reports whether there is no connection to the server; a list would fail too. */
export function isWithoutConnection(error: unknown): boolean {
  return error instanceof TransportError && noConnection.has(error.code);
}

/**
 * Reports whether the server did not process the watch request; the next watch resumes at the same version, however
 * often this happens.
 */
export function wasNotAttempted(error: unknown): boolean {
  return isWithoutConnection(error) || (error instanceof StatusError && error.httpStatus === 429);
}

/**
 * Reports whether another watch at the same version may succeed, because there is no sign yet that events were lost.
 */
export function mayBeTransient(error: unknown): boolean {
  if (!(error instanceof StatusError)) return !(error instanceof MalformedJsonError);
  return error.httpStatus >= 500;
}

/**
 * Reports whether the server has not reached the requested version, because it was restored from a backup or lags
 * behind.
 */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  const causes = error.status.details?.causes ?? [];
  return (
    causes.some((cause) => cause.reason === 'ResourceVersionTooLarge') ||
    /Too large resource version/.test(error.message)
  );
}

/** Returns the log message for a failed list or watch. `isAbsent` is true if discovery confirms a 404. */
export function describeFailure(
  error: unknown,
  known: { readonly isAbsent: boolean },
): {
  readonly message: string;
  readonly level: 'info' | 'warn' | 'error';
} {
  if (isNotFound(error) && !known.isAbsent) {
    const message =
      'the list returned 404, but discovery does not confirm that the kind was removed; keeping the cached objects';
    return { message, level: 'warn' };
  }
  if (isNotFound(error)) {
    return { message: 'the API server does not serve this kind; install its CustomResourceDefinition', level: 'error' };
  }
  if (isForbidden(error))
    return { message: 'not allowed to list and watch this kind; grant the operator both verbs', level: 'error' };
  if (error instanceof StatusError) return { message: 'cannot list or watch', level: 'warn' };
  return { message: 'a list or watch lost its connection', level: 'info' };
}

/** Reports whether the server does not support the parameters of a watch that begins with the current state. */
export function rejectsWatchList(error: unknown): boolean {
  return error instanceof StatusError && [400, 405, 406, 415, 422].includes(error.httpStatus);
}
