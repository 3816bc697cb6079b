import type { ResourceSlice } from '../generated/drafts.ts';

/** Sets the time of taints that have none. Upstream does this while it decodes a slice. */
export function dateTaints(spec: ResourceSlice['spec'], now: string): void {
  for (const { taints } of spec.devices ?? []) for (const taint of taints ?? []) taint.timeAdded ??= now;
}
