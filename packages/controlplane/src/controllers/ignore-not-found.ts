import { isNotFound } from '@kubewright/apimachinery';

/** For `.catch()` of deletions and the like: that it is gone already is what was wanted. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
