import type { Clock } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { updateObject, updateStatus, type WriteContext } from '../object-writes.ts';

type Status = NonNullable<PersistentVolumeClaim['status']>;

/**
 * Resizes a volume to the size that its claim requests: marks the claim as resizing, changes the volume, then reports the new
 * size in the claim's status. Mirrors the external resizer for CSI volumes that need no resize on the node.
 */
export async function resize(
  ctx: WriteContext & { readonly clock: Clock },
  { claim, volume }: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume },
): Promise<void> {
  const storage = claim.spec?.resources?.requests?.['storage'] ?? '0';
  const lastTransitionTime = formatTime(ctx.clock.now());
  const marked = await updateStatus(ctx, {
    kind: PersistentVolumeClaim,
    object: { ...claim, status: resizing(claim.status ?? {}, { storage, lastTransitionTime }) },
  });
  const capacity = { ...volume.spec?.capacity, storage };
  if (volume.spec?.capacity?.['storage'] !== storage) {
    await updateObject(ctx, { kind: PersistentVolume, object: { ...volume, spec: { ...volume.spec, capacity } } });
  }
  const status = resized(marked.status ?? {}, storage);
  await updateStatus(ctx, { kind: PersistentVolumeClaim, object: { ...marked, status } });
}

/** Returns the status of a claim whose volume is being resized. */
export function resizing(
  status: Status,
  { storage, lastTransitionTime }: { readonly storage: string; readonly lastTransitionTime: string },
): Status {
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Resizing');
  return {
    ...status,
    allocatedResources: { ...status.allocatedResources, storage },
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: 'ControllerResizeInProgress' },
    conditions: [...others, { type: 'Resizing', status: 'True', lastTransitionTime }],
  };
}

/** Returns the status of a claim whose volume has been resized. */
export function resized(status: Status, storage: string): Status {
  const { conditions = [], allocatedResourceStatuses, ...rest } = status;
  const { storage: _done, ...statuses } = allocatedResourceStatuses ?? {};
  const left = conditions.filter(({ type }) => type !== 'Resizing');
  return {
    ...rest,
    capacity: { ...status.capacity, storage },
    ...(left.length > 0 && { conditions: left }),
    ...(Object.keys(statuses).length > 0 && { allocatedResourceStatuses: statuses }),
  };
}
