import type { ClientInterceptor } from '@kubewright/client';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import { gated, isWrite } from './gated.ts';

/** Says for good which keys a division of them gives to this replica, whoever works on them still. */
export type KeyShare = (request: ReconcileRequest) => boolean;

/** The part of a kind's keys that is this replica's, where several replicas share the work. */
export interface Partition {
  /** True while the key is this replica's, by the clocks of this very moment. */
  owns(request: ReconcileRequest): boolean;
  /** Takes note of a reconcile that begins. */
  enter(request: ReconcileRequest): PartitionEntry;
  /**
   * Calls back when there may be more keys than before, and at every change that takes keys away: a key that one of the shares
   * denies may have been another replica's since. Called in turn, also for what lasted a moment only.
   */
  subscribe(handler: (share: KeyShare) => void): Disposable;
}

/** A reconcile in a partition; disposed when it has ended. */
export interface PartitionEntry extends Disposable {
  /** True while the key has been this replica's without a break since the reconcile began. */
  readonly isOwned: boolean;
}

/** Thrown in place of a write for a key that another replica may own by now. */
export class NotOwnerError extends Error {
  /** Names the class of failure; the replica that owns the key does the work. */
  readonly code = 'KW3040';

  constructor(key: string) {
    super(`refused a write for ${key}: another replica may own the key by now, and does the work`);
    this.name = 'NotOwnerError';
  }
}

/**
 * Lets no write out for a key that is no longer this replica's; asked in the tick that hands the bytes over.
 *
 * @param options.onRefused - told of the key of a write that was refused.
 */
export function whileOwned(
  entry: PartitionEntry,
  options: { readonly key: string; readonly onRefused: (key: string) => void },
): ClientInterceptor {
  const { key, onRefused } = options;
  const check = (): void => {
    if (entry.isOwned) return;
    onRefused(key);
    throw new NotOwnerError(key);
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}
