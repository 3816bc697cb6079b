import { isDeleting, type Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { controller, enqueueMapped, type ReconcileContext, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { isPodEnded } from '../pods/pod-state.ts';
import { byClaim, claimKey, claimNameOf, claimNamesOf, isEphemeralClaimOf } from './pod-claims.ts';
import { protectUntil } from './protection.ts';

const finalizer = 'kubernetes.io/pvc-protection';
const indexes = { claim: byClaim };

/** Keeps a claim that is being deleted while a scheduled pod mounts it. Mirrors the pvc-protection controller (1.36). */
export function claimProtectionController(): BuiltInController {
  return {
    account: 'pvc-protection-controller',
    definition: controller({
      name: 'pvc-protection',
      for: PersistentVolumeClaim,
      maxConcurrentReconciles: 5,
      watches: [
        watch(
          Pod,
          enqueueMapped<Pod>(({ namespace, object }) => claimNamesOf(object).map((name) => ({ namespace, name }))),
          {
            indexes,
            // A running pod keeps its claims, so only deleted and ended pods matter.
            predicates: [({ type, object }) => type === 'delete' || isPodEnded(object.object)],
          },
        ),
      ],
      reconcile: (claim, ctx) =>
        protectUntil(ctx, {
          kind: PersistentVolumeClaim,
          object: claim,
          finalizer,
          isUnused: () => isUnused(claim, ctx),
        }),
    }),
  };
}

/**
 * True if no pod uses a claim. Checks the cached pods first. If none of them uses the claim, checks the live pods, because the
 * cache may be stale.
 */
async function isUnused(
  claim: Stored<PersistentVolumeClaim>,
  ctx: ReconcileContext<PersistentVolumeClaim>,
): Promise<boolean> {
  const known = ctx.cache.lister(Pod).list({ index: { name: 'claim', value: claimKey(claim) } });
  if (known.some((pod) => usesClaim(pod, claim))) return false;
  const { namespace } = claim.metadata;
  const { items } = await ctx.client.resource(Pod).list({ namespace, signal: ctx.signal });
  return !items.some((pod) => usesClaim(pod, claim));
}

/**
 * True if a pod keeps a claim from being removed. Unscheduled pods do not, because no node starts a pod whose claim is
 * being deleted. A pod also releases the claim of an ephemeral volume once its node is done with the pod, because the
 * removal of the pod may wait for that claim.
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  const isDone = isDeleting(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.ephemeral ? !isDone && isEphemeralClaimOf(claim, pod) : true;
  });
}
