import type { ObjectKey } from '@kubewright/apimachinery';
import type { CallTarget, Verb } from '../interceptor.ts';

/** A write that is about to be sent. */
export interface ClientWrite {
  readonly verb: Verb;
  readonly target: CallTarget;
  /** The object that is written; unset for collections, and where the server is to make up the name. */
  readonly key?: ObjectKey;
  /** The uid that a deletion is bound to. */
  readonly uid?: string;
}

/**
 * What became of a write: what the API answered, read but not copied, or what was thrown in its place; `sent` is false if
 * nothing was handed to a connection by then, so that it cannot have had an effect.
 */
export type WriteOutcome = { readonly answer: unknown } | { readonly error: unknown; readonly sent: boolean };

/**
 * Is told of every write on a resource, before it is sent and when its outcome is known: for caches that shall never be
 * behind this program's own writes. Dry runs and raw requests are not told. Must not throw, and must not change the answer,
 * which is the caller's.
 *
 * @returns what is called with the outcome; undefined when it is of no interest.
 */
export type WriteObserver = (write: ClientWrite) => ((outcome: WriteOutcome) => void) | undefined;
