import type { Pod } from '@kubewright/apimachinery/core/v1';

export const indexKey = 'batch.kubernetes.io/job-completion-index';

/** Returns the index that a pod of an indexed job works on; undefined without a valid annotation. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
