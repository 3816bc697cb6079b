import type { KubernetesObject, Scope } from '@kubewright/apimachinery';
import type { Decoded, DecodeOptions, JsonSchema, SchemaNode } from '@kubewright/schema';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import type { Draft, Strategy } from './strategy.ts';

/**
 * Everything that the server knows of one resource in one version. Built-in kinds come from the type table and
 * hand-written strategies, custom resources from their CRD; after that there is no difference between them.
 */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  /** Plural, lower case: the name in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** As in discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string | undefined;
  /** Text of the `Warning` header that every use of this version gets. */
  readonly deprecation?: string | undefined;

  /** Where objects live: `/registry/<group or core>/<resource>/`. Versions of one resource share it. */
  readonly storagePrefix: string;
  /** How this version's objects become the stored ones and back; absent when they are the same but for `apiVersion`. */
  readonly conversion?: Conversion | undefined;
  /** `apiVersion` of stored objects. */
  readonly storageApiVersion: string;
  /** Asks a webhook to convert between all versions of the kind, in place of {@link conversion}. */
  readonly converter?: ObjectConverter | undefined;

  readonly schema: SchemaNode;
  /** What an object has of which nothing was said, where that is more than nothing (built-in kinds). */
  readonly zero?: Readonly<Record<string, unknown>> | undefined;
  /** The schema as a CRD has it, for OpenAPI documents; built-in kinds are published from the type table. */
  readonly openApiSchema?: JsonSchema | undefined;
  /** How bodies become drafts where it is not simply {@link schema} that decides (custom resources: pruning). */
  readonly decode?: ((value: unknown, options: DecodeOptions) => Decoded) | undefined;
  /** How stored custom resources become this version's: what the schemas do not know goes, absent defaults come. */
  readonly fromStored?: ((object: Draft) => Draft) | undefined;
  readonly strategy: Strategy;
  /** True for custom resources: no strategic merge patch, structural validation. */
  readonly custom: boolean;
  readonly columns: readonly TableColumn[];
  /** Makes the cells of one row, in the order of `columns`. */
  cells(object: KubernetesObject, nowMs: number): readonly unknown[];
  /** Field labels for field selectors besides metadata.name and metadata.namespace. */
  readonly fieldLabels: ReadonlyMap<string, (object: KubernetesObject) => string>;
  readonly subresources: ReadonlyMap<string, SubresourceDefinition>;
  /** Present for resources that are only asked, never stored (reviews, bindings): answers a POST. */
  readonly virtual?: VirtualResource | undefined;
}

/** Converts between a served version and the stored one, in place of a copy. */
export interface Conversion {
  toStorage(object: Draft): Draft;
  fromStorage(object: KubernetesObject): KubernetesObject;
}

/**
 * Converts objects between the versions of a kind by asking somebody. A definition that has one speaks of its own version
 * only; storage is shown to it in that version.
 */
export interface ObjectConverter {
  /** The version in which objects are written. */
  readonly storageApiVersion: string;
  /** The schema of one of the kind's versions. */
  schemaOf(apiVersion: string): SchemaNode | undefined;
  /** Completes what is stored, in whatever version, before it is converted. */
  fromStored(object: Draft): Draft;
  /**
   * Converts an object, which is not changed, into the version that `apiVersion` names.
   *
   * @throws Error that says in upstream's words what went wrong
   */
  convert(object: Draft, apiVersion: string): Promise<Draft>;
}

/** A column of `kubectl get` (meta/v1 `TableColumnDefinition`). */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** A path below an object: `status`, `scale`, `log`, `token`, … */
export interface SubresourceDefinition {
  /** Group, version and kind of the body, which need not be the parent's (`autoscaling/v1 Scale`). */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /**
   * `status`: GET/PUT/PATCH of the parent with `strategy` deciding what may change. `scale`: the Scale view.
   * `connect`: anything else, answered by `connect`.
   */
  readonly behaviour: StatusSubresource | ScaleSubresource | ConnectSubresource;
}

/** A view of the parent through which only part of it changes. */
export interface StatusSubresource {
  readonly type: 'status';
  readonly strategy: Strategy;
}

/** The `autoscaling/v1` view of a scalable kind; paths are field names from the object's root. */
export interface ScaleSubresource {
  readonly type: 'scale';
  readonly specReplicasPath: readonly string[];
  /** The same in the kind's other versions, by apiVersion: for the managed fields that were written in them. */
  readonly otherReplicasPaths?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly statusReplicasPath: readonly string[];
  /** Where the label selector stands, as text or as a LabelSelector. */
  readonly selectorPath: readonly string[] | undefined;
}

/** A subresource with its own behaviour. */
export interface ConnectSubresource {
  readonly type: 'connect';
  connect(call: ConnectCall): Promise<ApiResponse>;
}

/** One call of a connect subresource. */
export interface ConnectCall {
  readonly request: ApiRequest;
  readonly user: UserInfo;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  /** The decoded body, when there is one. */
  readonly body: Draft | undefined;
  readonly dryRun: boolean;
  /** Reads the parent; throws the 404 that the API would answer. */
  parent(): Promise<KubernetesObject>;
  /** Changes the parent by compare-and-swap, with as many tries as needed; `change` gets a fresh draft each time. */
  updateParent(change: (draft: Draft) => void): Promise<KubernetesObject>;
}

/** A resource without storage: a POST is answered by `create`. */
export interface VirtualResource {
  create(call: {
    readonly object: Draft;
    readonly user: UserInfo;
    readonly namespace: string;
    readonly dryRun: boolean;
  }): Promise<KubernetesObject>;
}
