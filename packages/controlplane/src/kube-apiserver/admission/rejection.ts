import { forbidden, type StatusError } from '@kubewright/apimachinery';
import type { AdmissionAttributes } from '@kubewright/apiserver';

/**
 * Returns the error of a plugin that rejects a request. An object without a name is identified by the prefix of its generated name.
 */
export function rejection({ definition, name, object }: AdmissionAttributes, why: string): StatusError {
  const { group, resource } = definition;
  const { name: own, generateName } = object?.metadata ?? {};
  return forbidden({ group, resource }, name || own || generateName || 'Unknown', why);
}
