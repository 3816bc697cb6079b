import { isAlreadyExists, isDeleting, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod, type Volume } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { controller, enqueueMapped, type ReconcileContext, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject } from '../object-writes.ts';
import { messageOf } from '../pods/pod-control.ts';
import { claimNameOf, isEphemeralClaimOf } from './pod-claims.ts';

/**
 * Creates the claims of generic ephemeral volumes. Each claim is owned by its pod. Mirrors the ephemeral volume controller
 * (1.36).
 */
export function ephemeralVolumeController(): BuiltInController {
  const events = new CoreEventRecorder('ephemeral_volume');
  return {
    account: 'ephemeral-volume-controller',
    definition: controller<Pod>({
      name: 'ephemeral-volume',
      for: Pod,
      maxConcurrentReconciles: 5,
      // The volumes of a pod never change.
      predicates: [({ type, object }) => type === 'create' && hasEphemeralVolumes(object.object)],
      watches: [
        watch(
          PersistentVolumeClaim,
          enqueueMapped<PersistentVolumeClaim>(({ namespace, ownerReferences }) =>
            ownerReferences
              .filter(({ kind, controller: controls }) => kind === 'Pod' && controls === true)
              .map(({ name }) => ({ namespace, name })),
          ),
          { predicates: [({ type }) => type === 'delete'] },
        ),
      ],
      reconcile: (pod, ctx) => events.during(ctx, () => reconcile(pod, { ctx, events })),
    }),
  };
}

function hasEphemeralVolumes({ spec }: Pod): boolean {
  return spec?.volumes?.some(({ ephemeral }) => ephemeral) ?? false;
}

async function reconcile(
  pod: Stored<Pod>,
  { ctx, events }: { readonly ctx: ReconcileContext<Pod>; readonly events: CoreEventRecorder },
): Promise<void> {
  if (isDeleting(pod)) return;
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      if (volume.ephemeral) await createClaim(pod, { volume, ctx });
    } catch (error) {
      // The claim exists, but the cache is stale. A retry will find the claim in the cache.
      if (isAlreadyExists(error)) throw error;
      const message = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
      events.record(ctx, { about: pod, type: 'Warning', reason: 'FailedBinding', message });
      throw error;
    }
  }
}

/**
 * Creates the claim of an ephemeral volume, unless it exists.
 *
 * @throws Error if an existing claim of that name was not created for the pod, or if the server rejects the claim.
 */
async function createClaim(
  pod: Stored<Pod>,
  { volume, ctx }: { readonly volume: Volume; readonly ctx: ReconcileContext<Pod> },
): Promise<void> {
  const { namespace, name: podName } = pod.metadata;
  const name = claimNameOf(pod, volume) ?? '';
  const found = ctx.cache.lister(PersistentVolumeClaim).get({ namespace, name });
  if (found) {
    if (isEphemeralClaimOf(found, pod)) return;
    throw new Error(`PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`);
  }
  const { metadata, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { labels, annotations } = metadata ?? {};
  const claim = PersistentVolumeClaim({
    metadata: { name, namespace, ...defined({ labels, annotations }) },
    ...defined({ spec }),
  });
  try {
    await createObject(ctx, { kind: PersistentVolumeClaim, object: setControllerReference(claim, pod) });
  } catch (error) {
    if (isAlreadyExists(error)) throw error;
    throw new Error(`create PVC ${name}: ${messageOf(error)}`, { cause: error });
  }
}
