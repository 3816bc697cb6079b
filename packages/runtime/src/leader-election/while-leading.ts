import type { ClientInterceptor } from '@kubewright/client';
import { gated, isWrite } from '../controller/gated.ts';
import { LeaderElectionError } from './leader-election-error.ts';
import type { LeaderElector } from './leader-elector.ts';

/**
 * Lets a write out only during one term: the present one or, made by a follower, the next. It is asked in the tick that
 * hands the write's bytes to the connection: whatever was waited for before then, a stopped process included, cannot carry
 * a write past the end of the term, nor into a later one.
 */
export function whileLeading(elector: LeaderElector): ClientInterceptor {
  const term = elector.isLeading ? elector.terms : elector.terms + 1;
  const check = (): void => {
    if (elector.terms === term && elector.isLeading) return;
    throw new LeaderElectionError('refused a write: the lease has run out and another may lead');
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}
