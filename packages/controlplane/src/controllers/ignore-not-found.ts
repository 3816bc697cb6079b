import { isNotFound } from '@kubewright/apimachinery';

/** Ignores NotFound errors. Pass it to `.catch()` of a deletion: the object is already deleted. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
