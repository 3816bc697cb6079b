import { forbidden, type StatusError } from '@kubewright/apimachinery';
import type { AdmissionAttributes } from '@kubewright/apiserver';

/**
 * Returns the error (403) for a request that a plugin rejects. Falls back to the prefix of the generated name for an object without
 * a name.
 */
export function rejection({ definition, name, object }: AdmissionAttributes, why: string): StatusError {
  const { group, resource } = definition;
  const { name: own, generateName } = object?.metadata ?? {};
  return forbidden({ group, resource }, name || own || generateName || 'Unknown', why);
}
