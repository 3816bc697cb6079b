import type { DeleteOptions } from './delete-options.ts';
import type { ResourceDefinition } from './resource-definition.ts';

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/**
 * Returns the finalizers that an object has once its deletion starts. Whether dependents are orphaned or deleted first depends on
 * the client's options, then on an existing finalizer, then on the kind's default (`Store`, 1.36).
 */
export function finalizersFor(
  finalizers: readonly string[],
  { options, definition }: { readonly options: DeleteOptions; readonly definition: ResourceDefinition },
): string[] {
  const others = finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  if (definition.strategy.garbageCollection === false) return [...finalizers];
  const policy = propagation(finalizers, { options, definition });
  if (policy === 'Orphan') others.push(orphan);
  else if (policy === 'Foreground') others.push(foreground);
  return others;
}

function propagation(
  finalizers: readonly string[],
  { options, definition }: { readonly options: DeleteOptions; readonly definition: ResourceDefinition },
): 'Orphan' | 'Foreground' | 'Background' {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  for (const finalizer of finalizers) {
    if (finalizer === orphan) return 'Orphan';
    if (finalizer === foreground) return 'Foreground';
  }
  return definition.strategy.defaultPropagation ?? 'Background';
}
