import type { ObjectKey } from '@kubewright/apimachinery';
import type { CallTarget, Verb } from '../interceptor.ts';

/** A write that is about to be sent. */
export interface ClientWrite {
  readonly verb: Verb;
  readonly target: CallTarget;
  /** The object being written; unset for collections, and if the server generates the name. */
  readonly key?: ObjectKey;
  /** The UID that the object must have to be deleted. */
  readonly uid?: string;
}

/**
 * The outcome of a write: the API's response, parsed but not copied, or the error thrown instead; `sent` is false if nothing was
 * passed to a connection, so the write cannot have had an effect.
 */
export type WriteOutcome = { readonly response: unknown } | { readonly error: unknown; readonly sent: boolean };

/**
 * Called for every write to a resource, before it is sent; returns a callback for its outcome. For caches that must never be
 * behind this program's own writes. Not called for dry runs and raw requests. Must not throw, and must not change the response,
 * which belongs to the caller.
 * @returns the callback for the outcome, or undefined if it is not needed.
 */
export type WriteObserver = (write: ClientWrite) => ((outcome: WriteOutcome) => void) | undefined;
