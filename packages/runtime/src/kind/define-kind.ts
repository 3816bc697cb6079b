import type { GroupVersionKind, KindFactory, KubernetesObject, Scope } from '@kubewright/apimachinery';
import { type ComputedMeta, type KindMeta, kindFactory, pluralOf } from '@kubewright/apimachinery/internal';

/**
 * An object of a namespaced custom kind: metadata, a spec and, if the kind has one, a status.
 *
 * @example
 * ```ts
 * interface Spec {
 *   readonly replicas: number;
 * }
 * type Website = CustomResource<Spec, { readonly ready: boolean }>;
 * ```
 */
export interface CustomResource<Spec, Status = never> extends KubernetesObject {
  readonly metadata: KindMeta<'namespace' | 'generation'>;
  readonly spec: Spec;
  readonly status?: Status;
}

/**
 * An object of a cluster-scoped custom kind.
 *
 * @example
 * ```ts
 * type Tenant = ClusterCustomResource<{ readonly owner: string }, { readonly namespaces: number }>;
 * const ownerOf = ({ spec }: Tenant): string => spec.owner;
 * ```
 */
export interface ClusterCustomResource<Spec, Status = never> extends KubernetesObject {
  readonly metadata: KindMeta<'generation'>;
  readonly spec: Spec;
  readonly status?: Status;
}

/**
 * An object of a kind that an aggregated API server serves; the server may compute objects without storing them.
 *
 * @example
 * ```ts
 * interface Flunder extends AggregatedResource<{ readonly size: number }> {
 *   readonly reference?: string;
 * }
 * ```
 */
export interface AggregatedResource<Spec, Status = never> extends KubernetesObject {
  readonly metadata: ComputedMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** A column of `kubectl get` (apiextensions/v1 `CustomResourceColumnDefinition`). */
export interface PrinterColumn {
  readonly name: string;
  /** Path of the value, such as `.status.phase`. */
  readonly jsonPath: string;
  /** @defaultValue 'string' */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns with a priority above 0 are shown only with `-o wide`. @defaultValue 0 */
  readonly priority?: number;
}

/** The paths of the fields that `kubectl scale` and autoscalers read and write. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Options for {@link defineKind}. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * The name in URLs. If the server uses another plural for the kind, a manager discovers it.
   *
   * @defaultValue the English plural of `kind` in lower case, which is a guess
   */
  readonly plural?: string;
  /** Name for a single object, as in `kubectl get website`. @defaultValue `kind` in lower case */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** @defaultValue 'Namespaced' */
  readonly scope?: Scope;
  /** Columns of `kubectl get` in this version. */
  readonly columns?: readonly PrinterColumn[];
  /** Enables the scale subresource in this version. */
  readonly scale?: ScaleSubresource;
  /** True to store objects in this version; exactly one version of a kind must be stored. @defaultValue true */
  readonly storage?: boolean;
  /** True if the version is kept only for existing objects; its users get a warning. @defaultValue false */
  readonly deprecated?: boolean;
  /** The warning for users of a deprecated version. @defaultValue the server's standard warning */
  readonly deprecationWarning?: string;
  /** True if the API server serves this version. @defaultValue true */
  readonly served?: boolean;
  /**
   * The server of the kind: the API server, configured by a CRD, or your own server behind an APIService. For your own
   * server, the generator writes the APIService and an OpenAPI document instead of a CRD.
   *
   * @defaultValue 'crd'
   */
  readonly servedBy?: 'crd' | 'aggregated';
  /** Verbs that an aggregated server supports (`get`, `list`, `watch`, …), for its OpenAPI document. @defaultValue all */
  readonly verbs?: readonly string[];
  /** Fields that `--field-selector` supports, in addition to name and namespace: `.spec.class`. */
  readonly selectableFields?: readonly string[];
  /** Labels of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the CustomResourceDefinition itself. */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Schema parts that a comment cannot express, by dotted field path: multi-line CEL rules, or patterns that contain
   * the end of a comment.
   */
  readonly schema?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * A kind created by {@link defineKind}: creates objects, can be used as a `Kind`, and describes its CRD.
 *
 * @example
 * ```ts
 * export type Website = CustomResource<WebsiteSpec, WebsiteStatus>;
 * export const Website: DefinedKind<Website> = defineKind<WebsiteSpec, WebsiteStatus>({
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Website',
 *   shortNames: ['site'],
 * });
 * const shortNames = Website.shortNames;
 * ```
 */
export interface DefinedKind<T> extends KindFactory<T>, KindSettings {}

/** The properties of a {@link DefinedKind} beyond its name, scope and plural. */
export interface KindSettings {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly PrinterColumn[];
  readonly scale?: ScaleSubresource;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly schema: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Declares a custom kind; the type arguments are its spec and its status. Call the result to create objects of the kind.
 *
 * @example
 * ```ts
 * export const Postgresql = defineKind<PostgresqlSpec, PostgresqlStatus>({
 *   group: 'database.db.example.com', version: 'v1', kind: 'Postgresql', shortNames: ['pg'],
 * });
 * export type Postgresql = ObjectOf<typeof Postgresql>;
 *
 * const database = Postgresql({ metadata: { name: 'mydb' }, spec: { password: 'secret' } });
 * ```
 */
export function defineKind<Spec, Status = never>(
  definition: KindDefinition & { readonly servedBy: 'aggregated' },
): DefinedKind<AggregatedResource<Spec, Status>>;
export function defineKind<Spec, Status = never>(
  definition: KindDefinition & { readonly scope: 'Cluster' },
): DefinedKind<ClusterCustomResource<Spec, Status>>;
export function defineKind<Spec, Status = never>(definition: KindDefinition): DefinedKind<CustomResource<Spec, Status>>;
/* @__NO_SIDE_EFFECTS__ */
export function defineKind(definition: KindDefinition): unknown {
  const { group, version, kind } = definition;
  const scale = definition.scale === undefined ? {} : { scale: definition.scale };
  return kindFactory({
    group,
    version,
    kind,
    plural: definition.plural ?? pluralOf(kind),
    scope: definition.scope ?? 'Namespaced',
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    columns: definition.columns ?? [],
    storage: definition.storage ?? true,
    deprecated: definition.deprecated ?? false,
    schema: definition.schema ?? {},
    ...scale,
  });
}

/** Returns a key for a kind in maps: `Pod.v1.`, `Deployment.v1.apps`. */
export function kindKey(kind: GroupVersionKind): string {
  return `${kind.kind}.${kind.version}.${kind.group}`;
}
