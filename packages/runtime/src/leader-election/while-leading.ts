import type { ClientInterceptor } from '@kubewright/client';
import { gated, isWrite } from '../controller/gated.ts';
import { LeaderElectionError, type LeaderElector } from './leader-elector.ts';

/**
 * Lets a write out only during the term in which this was made, asked in the tick that hands its bytes to the connection:
 * whatever was waited for before then, a stopped process included, cannot carry a write past the end of the term.
 */
export function whileLeading(elector: LeaderElector): ClientInterceptor {
  const { term } = elector;
  const check = (): void => {
    if (!term?.isValid) throw new LeaderElectionError('refused a write: the lease has run out and another may lead');
  };
  return (call, next) => next(isWrite(call) ? gated(call, check) : call);
}
