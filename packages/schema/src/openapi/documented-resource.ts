import type { GroupVersionKind, Scope } from '@kubewright/apimachinery';
import type { JsonSchema } from '../structural/json-schema.ts';

/** One version of a resource, with the data that OpenAPI documents need. */
export interface DocumentedResource {
  readonly group: string;
  readonly version: string;
  /** Name in URLs: plural, lower case. */
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly scope: Scope;
  /** As in discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  /** False for Kubernetes' own kinds, whose schemas come from the type table. */
  readonly custom: boolean;
  /** The schema of a custom kind, as in its CRD. */
  readonly openApiSchema?: JsonSchema | undefined;
  /** Paths below an object, with the kind of their body. */
  readonly subresources: ReadonlyMap<string, GroupVersionKind & { readonly verbs: readonly string[] }>;
}
