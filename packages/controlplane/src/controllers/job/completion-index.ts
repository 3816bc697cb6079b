import type { Pod } from '@kubewright/apimachinery/core/v1';

export const indexKey = 'batch.kubernetes.io/job-completion-index';

/** Returns the completion index of an indexed job's pod, or undefined if its annotation is missing or invalid. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexKey];
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
