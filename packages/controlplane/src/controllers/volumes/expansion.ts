import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { needsExpansion, requestOf } from './claim-size.ts';
import { storageNames } from './storage-names.ts';

/**
 * Records an event on each claim that requests more storage than it has: an external resizer must expand its volume. Mirrors the
 * expand controller (1.36), which itself expands only the volumes of former in-tree plugins.
 */
export function expansionController(): BuiltInController {
  const events = new CoreEventRecorder('volume_expand');
  return {
    account: 'expand-controller',
    definition: controller({
      name: 'expand',
      for: PersistentVolumeClaim,
      caches: [PersistentVolume],
      predicates: [
        ({ type, object }) => type !== 'delete' && object.object.status?.phase === 'Bound',
        (event) => event.type === 'update' && requestOf(event.object.object).compare(requestOf(event.old.object)) > 0,
      ],
      reconcile: (claim, ctx) =>
        events.during(ctx, async () => {
          if (!needsExpansion(claim)) return;
          const volume = ctx.cache.lister(PersistentVolume).get({ name: claim.spec?.volumeName ?? '' });
          const isExternal = volume?.spec?.csi ?? volume?.metadata.annotations?.[storageNames.provisionedBy];
          events.record(ctx, {
            about: claim,
            type: isExternal ? 'Normal' : 'Warning',
            reason: 'ExternalExpanding',
            message: 'waiting for an external controller to expand this PVC',
          });
        }),
    }),
  };
}
