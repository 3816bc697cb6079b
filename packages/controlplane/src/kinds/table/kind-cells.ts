import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceDefinition } from '@kubewright/apiserver';

/** An entry of the map that {@link builtinCells} returns: a resource, and the function that builds the cells of its rows. */
export type CellsEntry = readonly [resource: string, ResourceDefinition['cells']];

/** Creates the entry of a resource (`group/version/resource`). */
export function cellsOf<T>(resource: string, cells: (object: T, nowMs: number) => readonly unknown[]): CellsEntry {
  // The server passes each function only objects of its resource.
  return [resource, (object: KubernetesObject, nowMs) => cells(object as unknown as T, nowMs)];
}
