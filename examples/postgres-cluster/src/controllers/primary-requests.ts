import type { ReconcileContext } from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { PrimaryDecision } from '../plan/choose-primary.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import type { Decisions } from './cluster-status.ts';
import { foreignMessage } from './foreign-objects.ts';
import { forcedPrimaryAnnotation, primaryAnnotation } from './observe-cluster.ts';

/** Records events about a decision on the primary, and about foreign objects. */
export function recordDecisions(
  { primary, foreign }: Pick<Decisions, 'primary' | 'foreign'>,
  { events, request }: ReconcileContext<PostgresCluster>,
): void {
  if (foreign.length > 0) {
    const note = foreignMessage(foreign, request.name);
    events.record({ type: 'Warning', reason: 'ForeignObject', note, series: note });
  }
  if (primary.do === 'appoint') {
    const note = `chose ${primary.name} as the primary: ${primary.why}`;
    events.record({ reason: 'PrimaryChosen', note, series: note });
    if (primary.isFailedSwitchover) {
      const failure = `${primary.name} becomes the primary again: ${primary.why}`;
      events.record({ type: 'Warning', reason: 'SwitchoverFailed', note: failure, series: failure });
    }
  }
  if (primary.do !== 'stop') return;
  const isFailover = primary.phase === 'Failing over';
  const [type, reason] = isFailover ? (['Warning', 'FailingOver'] as const) : (['Normal', 'SwitchingOver'] as const);
  events.record({ type, reason, note: primary.why, series: primary.why });
}

/**
 * Removes annotations that request a primary once they are fulfilled or no longer apply, so that they do not affect a later
 * failover.
 */
export async function forgetRequests(
  observed: ObservedCluster,
  { primary, ctx }: { readonly primary: PrimaryDecision; readonly ctx: ReconcileContext<PostgresCluster> },
): Promise<void> {
  const { requestedPrimary, forcedPrimary, currentPrimary, targetPrimary } = observed;
  const isTried = failedRequestOf(observed, primary) !== undefined;
  const isStable = currentPrimary !== undefined && currentPrimary === targetPrimary;
  if (!isTried && !isStable) return;
  const isForgotten = forcedPrimary !== undefined && primary.do === 'keep' && !primary.isFailing;
  if (isForgotten && forcedPrimary !== currentPrimary) {
    const note = `ignored the forced promotion of ${forcedPrimary}, because the primary ${currentPrimary} works; request a switchover instead`;
    ctx.events.record({ type: 'Warning', reason: 'ForcedPrimaryIgnored', note });
  }
  const annotations = {
    ...((isTried || requestedPrimary === currentPrimary) && { [primaryAnnotation]: null }),
    ...(isForgotten && { [forcedPrimaryAnnotation]: null }),
  };
  if (Object.keys(annotations).length === 0) return;
  const body = { metadata: { annotations } };
  await ctx.client.resource(PostgresCluster).patch(ctx.request, { type: 'merge', body });
}

/**
 * Returns the requested primary whose switchover failed. A request is tried once: after a failure, the user decides whether to
 * try again. The status keeps the name until the annotation is removed.
 */
export function failedRequestOf(
  { requestedPrimary, failedRequest }: ObservedCluster,
  primary: PrimaryDecision,
): string | undefined {
  const hasFailed = primary.do === 'appoint' && primary.isFailedSwitchover === true;
  return hasFailed ? (requestedPrimary ?? failedRequest) : failedRequest;
}
