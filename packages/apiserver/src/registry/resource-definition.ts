import type { Duplex } from 'node:stream';
import type { KubernetesObject, Scope } from '@kubewright/apimachinery';
import type { JsonSchema } from '@kubewright/schema';
import type { Decoded, decodeValue, SchemaNode } from '@kubewright/schema/internal';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import type { Draft, Strategy } from './strategy.ts';

/**
 * The server's definition of one resource in one version. A built-in kind is defined by the type table and a hand-written
 * strategy, a custom resource by its CRD. The server treats both alike.
 *
 * @example
 * ```ts
 * const flunders: ResourceDefinition = {
 *   group: 'wardle.example.com', version: 'v1', resource: 'flunders', singular: 'flunder', kind: 'Flunder', listKind: 'FlunderList',
 *   scope: 'Cluster', shortNames: ['fl'], categories: [], verbs: ['create', 'delete', 'get', 'list', 'watch'], custom: true,
 *   storagePrefix: '/registry/wardle.example.com/flunders/', storageApiVersion: 'wardle.example.com/v1', schema: { type: 'any' },
 *   strategy: { generation: 'spec', allowUnconditionalUpdate: true, allowCreateOnUpdate: false },
 *   columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
 *   cells: ({ metadata }) => [metadata.name], fieldLabels: new Map(), subresources: new Map(),
 * };
 * ```
 */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  /** The plural name in lower case, as used in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Verbs as in discovery: create, delete, deletecollection, get, list, patch, update, watch. */
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string | undefined;
  /**
   * True if only the server itself (`system:apiserver`) may use the resource: to delete the objects of a CRD that serves no
   * version.
   */
  readonly hidden?: boolean | undefined;
  /** Text of the `Warning` header added to every request for this version. */
  readonly deprecation?: string | undefined;

  /**
   * Prefix of the storage keys, shared by all versions: `/registry/<group>/<resource>/`, without the group for most built-in
   * kinds.
   */
  readonly storagePrefix: string;
  /** Converts this version's objects to the stored version and back; absent if they differ only in `apiVersion`. */
  readonly conversion?: Conversion | undefined;
  /** The `apiVersion` of stored objects. */
  readonly storageApiVersion: string;
  /** Time after which storage deletes an object, unless the object is written again. @defaultValue never */
  readonly ttlSeconds?: number | undefined;
  /** Returns the names of the values that only one object may hold at a time, such as IP addresses. @defaultValue none */
  readonly claims?: ((object: KubernetesObject) => readonly string[]) | undefined;
  /** Converts between the kind's versions with a webhook. Replaces {@link conversion}. */
  readonly converter?: ObjectConverter | undefined;

  readonly schema: SchemaNode;
  /** The zero value of a built-in kind in Go: the fields that an empty object still has. */
  readonly zero?: Readonly<Record<string, unknown>> | undefined;
  /** The CRD's schema, for OpenAPI documents. Absent for built-in kinds, which are published from the type table. */
  readonly openApiSchema?: JsonSchema | undefined;
  /** Decodes request bodies if {@link schema} alone is not enough: custom resources are also pruned. */
  readonly decode?: ((value: unknown, options: NonNullable<Parameters<typeof decodeValue>[2]>) => Decoded) | undefined;
  /**
   * Converts stored objects to this version. For custom resources, prunes fields unknown to the schema and fills in
   * defaults. For built-in kinds, fills in defaults that are not stored.
   */
  readonly fromStored?: ((object: Draft) => Draft) | undefined;
  readonly strategy: Strategy;
  /** True for custom resources, which have structural validation and no strategic merge patch. */
  readonly custom: boolean;
  readonly columns: readonly TableColumn[];
  /** Returns the cells of one row, in the order of `columns`. */
  cells(object: KubernetesObject, nowMs: number): readonly unknown[];
  /** Fields that field selectors support, besides metadata.name and metadata.namespace. */
  readonly fieldLabels: ReadonlyMap<string, (object: KubernetesObject) => string>;
  readonly subresources: ReadonlyMap<string, SubresourceDefinition>;
  /**
   * Annotations that upstream adds when it converts its internal objects to this version. Tables and
   * PartialObjectMetadata lack these annotations, because upstream builds them from internal objects.
   */
  readonly conversionAnnotations?: readonly string[] | undefined;
  /** Handles a POST. Present for resources that are never stored (reviews, bindings). */
  readonly virtual?: VirtualResource | undefined;
  /** Handles all verbs. Present for resources whose objects are computed. */
  readonly computed?: ComputedResource | undefined;
}

/** Converts between a served version and the stored version, if they differ in more than `apiVersion`. */
export interface Conversion {
  toStorage(object: Draft): Draft;
  fromStorage(object: KubernetesObject): KubernetesObject;
}

/**
 * Converts objects between the versions of a kind through an external converter. A definition with a converter handles only its
 * own version: storage converts on every read and write.
 */
export interface ObjectConverter {
  /** The version in which objects are stored. */
  readonly storageApiVersion: string;
  /** Returns the schema of one of the kind's versions. */
  schemaOf(apiVersion: string): SchemaNode | undefined;
  /** Prepares a stored object, in any version, for conversion. */
  fromStored(object: Draft): Draft;
  /**
   * Converts an object to the version in `apiVersion`, without modifying it.
   *
   * @throws Error with upstream's message
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

/**
 * A subresource: `status`, `scale`, `log`, `token`, …
 *
 * @example
 * ```ts
 * const status: SubresourceDefinition = {
 *   group: 'wardle.example.com',
 *   version: 'v1',
 *   kind: 'Flunder',
 *   verbs: ['get', 'patch', 'update'],
 *   behavior: { type: 'status', strategy },
 * };
 * ```
 */
export interface SubresourceDefinition {
  /** Group, version and kind of the body, which may differ from the parent's (`autoscaling/v1 Scale`). */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /**
   * `status`: reads and writes the parent; its strategy decides which fields may change. `scale`: the Scale view of the
   * parent. `proxy`: forwards requests to an HTTP server. `connect`: anything else.
   */
  readonly behavior: StatusSubresource | ScaleSubresource | ConnectSubresource | ProxySubresource;
}

/** A view of the parent that can change only some of its fields. */
export interface StatusSubresource {
  readonly type: 'status';
  readonly strategy: Strategy;
}

/** The `autoscaling/v1` view of a scalable kind. Paths are field names from the object's root. */
export interface ScaleSubresource {
  readonly type: 'scale';
  readonly specReplicasPath: readonly string[];
  /** The path in the kind's other versions, by apiVersion, for managed fields written in those versions. */
  readonly otherReplicasPaths?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly statusReplicasPath: readonly string[];
  /** Path of the label selector, either a string or a LabelSelector. */
  readonly selectorPath: readonly string[] | undefined;
}

/**
 * A subresource with its own behavior.
 *
 * @example
 * ```ts
 * const ping: ConnectSubresource = {
 *   type: 'connect',
 *   async connect({ name }) {
 *     return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(`pong from ${name}\n`) };
 *   },
 * };
 * ```
 */
export interface ConnectSubresource {
  readonly type: 'connect';
  /** True if a GET also needs the verb `create`, because it does more than read (a command in a pod). @defaultValue false */
  readonly getNeedsCreate?: boolean | undefined;
  connect(call: ConnectCall): Promise<ApiResponse>;
}

/** A subresource that forwards requests to an HTTP server, such as `pods/proxy`. */
export interface ProxySubresource {
  readonly type: 'proxy';
  /**
   * Connects to the server.
   *
   * @throws StatusError 400, 404 or 503 if the server does not exist
   */
  connect(call: ProxyCall): Promise<ProxyConnection>;
}

/** A call to a proxy subresource. */
export interface ProxyCall {
  readonly namespace: string;
  /** As in the path: `name`, `name:port` or `scheme:name:port`. */
  readonly name: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A connection to the server behind a proxy subresource. */
export interface ProxyConnection {
  readonly stream: Duplex;
  /** True if the server uses TLS. */
  readonly isTls: boolean;
  /** The server's `host:port`; redirects to this host are rewritten to pass through the proxy. */
  readonly host: string;
}

/** A call to a connect subresource. */
export interface ConnectCall {
  readonly request: ApiRequest;
  readonly user: UserInfo;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  /** The decoded body, if any. */
  readonly body: Draft | undefined;
  readonly dryRun: boolean;
  /** Reads the parent; throws the API's 404 if it does not exist. */
  parent(): Promise<KubernetesObject>;
  /**
   * Changes the parent by compare-and-swap, with as many retries as needed; each attempt calls `change` with a fresh
   * draft. Managed fields do not change, as in upstream.
   */
  updateParent(change: (draft: Draft) => void): Promise<KubernetesObject>;
}

/** A resource without storage: `create` handles a POST. */
export interface VirtualResource {
  create(call: {
    readonly object: Draft;
    readonly user: UserInfo;
    readonly namespace: string;
    readonly dryRun: boolean;
  }): Promise<KubernetesObject>;
}

/** A resource without storage whose objects are computed for each request. Each verb is optional. */
export interface ComputedResource {
  get?(call: NamedRequest): MaybePromise<KubernetesObject | undefined>;
  list?(call: ComputedRequest & ComputedSelection): MaybePromise<readonly KubernetesObject[] | ComputedList>;
  watch?(call: ComputedRequest & ComputedSelection): AsyncIterable<ComputedEvent>;
  create?(call: ComputedRequest & { readonly object: Draft; readonly dryRun: boolean }): MaybePromise<KubernetesObject>;
  update?(
    call: NamedRequest & { readonly object: Draft; readonly old: KubernetesObject },
  ): MaybePromise<KubernetesObject>;
  delete?(call: NamedRequest & { readonly old: KubernetesObject }): MaybePromise<unknown>;
}

/** The query parameters of a list or watch of a computed resource. The server applies the selectors to the result. */
export interface ComputedSelection {
  /** As in the query; empty selects everything. */
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Empty for the newest state. */
  readonly resourceVersion: string;
  /** Maximum number of objects that the client requests; 0 means all. */
  readonly limit: number;
  /** The token of the previous page, if any. */
  readonly continue: string;
}

/** A page of a list of a computed resource. */
export interface ComputedList {
  readonly items: readonly KubernetesObject[];
  /** The list's version, a decimal number. @defaultValue '0' */
  readonly resourceVersion?: string | undefined;
  /** Token for the next page. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

type NamedRequest = ComputedRequest & { readonly name: string };

/** A request for a computed resource. */
export interface ComputedRequest {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** An event of a watch on a computed resource. */
export interface ComputedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

type MaybePromise<T> = T | Promise<T>;
