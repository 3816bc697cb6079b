import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

/** Reports whether a resource is core/v1 namespaces, whose deletion also waits for `spec.finalizers`. */
export function isNamespace(definition: ResourceDefinition): boolean {
  return definition.resource === 'namespaces' && definition.group === '';
}

/** Returns the finalizers in a namespace's spec, which block its removal until its content is deleted. */
export function namespaceFinalizers(object: object): readonly string[] {
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } };
  return spec?.finalizers ?? [];
}

/** Marks a namespace as terminating. */
export function markTerminating(draft: Draft): void {
  draft['status'] = { ...(draft['status'] as object | undefined), phase: 'Terminating' };
}
