import type { ClientInterceptor } from '@kubewright/client';
import { gated, isWrite } from '../fencing/gated.ts';
import { LeaderElectionError } from './leader-election-error.ts';
import type { LeaderElector } from './leader-elector.ts';

/**
 * Allows writes only during one term: the current one or, if created by a follower, the next. The check runs in the tick that
 * hands the write's bytes to the connection, so no wait before then, not even a stopped process, can carry a write past the end
 * of the term or into a later one.
 */
export function whileLeading(elector: LeaderElector): ClientInterceptor {
  const term = elector.isLeading ? elector.terms : elector.terms + 1;
  const check = (): void => {
    if (elector.terms === term && elector.isLeading) return;
    throw new LeaderElectionError({
      what: 'rejected a write',
      why: 'the lease has expired and another replica may be the leader',
    });
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}
