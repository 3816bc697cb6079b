import type { ClientInterceptor } from '@kubewright/client';
import { gated, isWrite } from '../fencing/gated.ts';
import { LeaderElectionError } from './leader-election-error.ts';
import type { LeaderElector } from './leader-elector.ts';

/**
 * Allows writes only during one term: the current term or, if created by a follower, the next term. The check runs in
 * the tick that hands the write's bytes to the connection. A delay before this tick, even a suspended process,
 * therefore never lets a write through after the end of the term or in a later term.
 */
export function whileLeading(elector: LeaderElector): ClientInterceptor {
  const term = elector.isLeading ? elector.terms : elector.terms + 1;
  const check = (): void => {
    if (elector.terms === term && elector.isLeading) return;
    throw new LeaderElectionError({
      what: 'rejected a write of a former leader',
      why: 'the lease has expired and another replica may be the leader',
    });
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}

/**
 * Allows each write only in the term in which the write was called. Code that is not bound to a term thus writes only
 * while this process leads.
 *
 * @param elector - returns the elector once it campaigns.
 */
export function whileElected(elector: () => LeaderElector | undefined): ClientInterceptor {
  return (call, next) => {
    if (!isWrite(call)) return next(call);
    const current = elector();
    if (current?.isLeading) return whileLeading(current)(call, next);
    throw new LeaderElectionError({
      what: 'rejected a write of manager.client',
      why: 'this replica is not the leader',
      remedy:
        'use the client that the controller or runnable receives; for writes that any replica may make, use manager.unfencedClient',
    });
  };
}
