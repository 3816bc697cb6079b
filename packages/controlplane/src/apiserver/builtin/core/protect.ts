import type { ObjectMeta } from '../generated/drafts.ts';

/** Adds the finalizer that keeps storage while somebody uses it. Upstream does so in admission. */
export function protect(metadata: ObjectMeta, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
