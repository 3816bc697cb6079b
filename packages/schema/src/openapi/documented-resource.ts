import type { GroupVersionKind, Scope } from '@kubewright/apimachinery';
import type { JsonSchema } from '../structural/json-schema.ts';

/** One version of a resource to describe in OpenAPI documents. */
export interface DocumentedResource {
  readonly group: string;
  readonly version: string;
  /** Name in URLs: plural, lower case. */
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly scope: Scope;
  /** The verbs of discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  /** False for Kubernetes' own kinds, whose schemas come from the type table. */
  readonly custom: boolean;
  /** Schema of a custom kind, from its CRD. */
  readonly openApiSchema?: JsonSchema | undefined;
  /** Subresources by path below the object (`status`, `scale`), each with the kind of its body. */
  readonly subresources: ReadonlyMap<string, GroupVersionKind & { readonly verbs: readonly string[] }>;
}
