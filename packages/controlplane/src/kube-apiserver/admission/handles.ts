import type { ResourceDefinition } from '@kubewright/apiserver';

/** Returns the `handles` of an admission plugin for some resources of one API group. */
export function handles(group: string, ...resources: readonly string[]): (definition: ResourceDefinition) => boolean {
  return (definition) => definition.group === group && resources.includes(definition.resource);
}
