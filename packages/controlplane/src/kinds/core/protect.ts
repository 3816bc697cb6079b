import type { ObjectMeta } from '../generated/drafts.ts';

/** Adds the finalizer that keeps a volume or claim while it is in use. Upstream does this in admission. */
export function protect(metadata: ObjectMeta, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
