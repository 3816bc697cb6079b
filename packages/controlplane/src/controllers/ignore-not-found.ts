import { isNotFound } from '@kubewright/apimachinery';

/** Ignores NotFound errors in a `.catch()` of deletions: the object is already deleted. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
