import { KubewrightError } from '@kubewright/apimachinery';
import type { ClientInterceptor } from '@kubewright/client';
import { gated, isWrite } from '../../fencing/gated.ts';
import type { ReconcileRequest } from '../../handler/event-handler.ts';

/** Reports whether the key is currently assigned to this replica, even if another replica is still working on it. */
export type KeyShare = (request: ReconcileRequest) => boolean;

/** The part of a kind's keys that this replica owns, if several replicas share the work. */
export interface Partition {
  /** Reports whether this replica owns the key at the time of the call. */
  owns(request: ReconcileRequest): boolean;
  /** Records the start of a reconcile. */
  enter(request: ReconcileRequest): PartitionEntry;
  /**
   * Subscribes to changes of this replica's share. The handler receives, in order, every share that may add or removes
   * keys, even if the share lasted only a moment, because another replica may have owned a removed key in the meantime.
   */
  subscribe(handler: (share: KeyShare) => void): Disposable;
}

/** Settings of a controller whose keys several replicas share. */
export interface ShardedOptions {
  /**
   * Lists all existing keys, including keys owned by other replicas; newly owned keys are reconciled. Required for a
   * `requestController`, because only its author knows the keys.
   * @defaultValue the objects of the controller's kind
   */
  readonly keys?: () => Iterable<ReconcileRequest> | Promise<Iterable<ReconcileRequest>>;
}

/** A reconcile in a partition; dispose it when the reconcile ends. */
export interface PartitionEntry extends Disposable {
  /** True while this replica has owned the key without interruption since the reconcile began. */
  readonly isOwned: boolean;
}

/** Thrown for a rejected write to a key that another replica may own by now. */
export class NotOwnerError extends KubewrightError {
  override readonly name = 'NotOwnerError';
  /** Do nothing: the replica that owns the key does the work. */
  readonly code = 'KW3040';

  constructor(key: string) {
    super({
      what: `rejected a write while reconciling ${key}`,
      why: 'another replica may own this key by now and will reconcile it',
    });
  }
}

/**
 * Blocks writes for a key that this replica no longer owns. The check runs in the same tick in which the connection
 * receives the bytes.
 *
 * @param options.onRejected - called with the key of a rejected write.
 */
export function whileOwned(
  entry: PartitionEntry,
  options: { readonly key: string; readonly onRejected: (key: string) => void },
): ClientInterceptor {
  const { key, onRejected } = options;
  const check = (): void => {
    if (entry.isOwned) return;
    onRejected(key);
    throw new NotOwnerError(key);
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}
