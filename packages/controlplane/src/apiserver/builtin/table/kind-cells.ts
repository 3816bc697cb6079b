import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';

/** Makes the cells of a resource's rows; entries of the map that {@link builtinCells} joins. */
export type CellsEntry = readonly [resource: string, ResourceDefinition['cells']];

/** Names the resource (`group/version/resource`) that a function makes cells for. */
export function cellsOf<T>(resource: string, cells: (object: T, nowMs: number) => readonly unknown[]): CellsEntry {
  // The server hands each function objects of the resource it is registered for.
  return [resource, (object: KubernetesObject, nowMs) => cells(object as unknown as T, nowMs)];
}
