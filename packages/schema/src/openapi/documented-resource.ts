import type { GroupVersionKind, Scope } from '@kubewright/apimachinery';
import type { JsonSchema } from '../structural/index.ts';

/** A resource in one version, as far as OpenAPI documents tell of it. */
export interface DocumentedResource {
  readonly group: string;
  readonly version: string;
  /** Plural, lower case: the name in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly scope: Scope;
  /** As in discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  /** False for Kubernetes' own kinds, which are written from the type table. */
  readonly custom: boolean;
  /** The schema of a custom kind, as a CRD has it. */
  readonly openApiSchema?: JsonSchema | undefined;
  /** Paths below an object, with the kind of their body. */
  readonly subresources: ReadonlyMap<string, GroupVersionKind & { readonly verbs: readonly string[] }>;
}
