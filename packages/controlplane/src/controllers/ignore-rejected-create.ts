import { isAlreadyExists } from '@kubewright/apimachinery';
import { isNamespaceTerminating } from './pods/pod-control.ts';

/** Ignores that an object exists or that its namespace is being deleted. Pass it to `.catch()` of a create. */
export function ignoreRejectedCreate(error: unknown): void {
  if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
}
