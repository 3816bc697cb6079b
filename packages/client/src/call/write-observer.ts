import type { ObjectKey } from '@kubewright/apimachinery';
import type { CallTarget, Verb } from '../interceptor.ts';

/** A write that is about to be sent. */
export interface ClientWrite {
  readonly verb: Verb;
  readonly target: CallTarget;
  /** The object being written; unset for collections and for objects whose name the server generates. */
  readonly key?: ObjectKey;
  /** A UID precondition of a delete. */
  readonly uid?: string;
}

/**
 * The outcome of a write: the API's response, parsed but not copied, or the error thrown instead. If `sent` is false,
 * nothing was passed to a connection, so the write had no effect.
 */
export type WriteOutcome = { readonly response: unknown } | { readonly error: unknown; readonly sent: boolean };

/**
 * Called for every write to a resource, before the write is sent; returns a callback for the outcome. Serves caches
 * that must never lag behind this program's own writes. Not called for dry runs and raw requests. Must not throw, and
 * must not change the response, which belongs to the caller.
 * @returns the callback for the outcome, or undefined if the outcome is not needed.
 */
export type WriteObserver = (write: ClientWrite) => ((outcome: WriteOutcome) => void) | undefined;
