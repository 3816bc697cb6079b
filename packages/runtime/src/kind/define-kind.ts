import {
  type ComputedMeta,
  type KindFactory,
  type KindMeta,
  type KubernetesObject,
  kindFactory,
  type ObjectMeta,
  pluralOf,
  type Scope,
} from '@kubewright/apimachinery';

/**
 * An object of a custom kind: metadata, a desired state and, if the kind has one, an observed state. `Meta` says which
 * metadata stored objects have; `defineKind` chooses it by the kind's scope.
 */
export interface CustomResource<Spec, Status = never, Meta extends ObjectMeta = NamespacedCustomMeta>
  extends KubernetesObject {
  readonly metadata: Meta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** Metadata of a namespaced custom kind. */
export type NamespacedCustomMeta = KindMeta<'namespace' | 'generation'>;

/** Metadata of a cluster-scoped custom kind. */
export type ClusterCustomMeta = KindMeta<'generation'>;

/** A column of `kubectl get` (apiextensions/v1 `CustomResourceColumnDefinition`). */
export interface PrinterColumn {
  readonly name: string;
  /** Where the value is, such as `.status.phase`. */
  readonly jsonPath: string;
  /** @defaultValue 'string' */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns of a priority above 0 are shown with `-o wide` only. @defaultValue 0 */
  readonly priority?: number;
}

/** What `kubectl scale` and autoscalers read and write of a kind. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** What {@link defineKind} is told. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * Name in URLs. Where the server has another one for the kind, a manager finds that by discovery.
   *
   * @defaultValue the English plural of `kind`, lower case: a guess
   */
  readonly plural?: string;
  /** @defaultValue `kind` in lower case */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** @defaultValue 'Namespaced' */
  readonly scope?: Scope;
  /** Columns of `kubectl get` in this version. */
  readonly columns?: readonly PrinterColumn[];
  /** Turns on the scale subresource in this version. */
  readonly scale?: ScaleSubresource;
  /** Whether objects are stored in this version; exactly one version of a kind is. @defaultValue true */
  readonly storage?: boolean;
  /** Whether the version is kept for old objects only and warns its users. @defaultValue false */
  readonly deprecated?: boolean;
  /** What users of a deprecated version are told. @defaultValue the server's sentence */
  readonly deprecationWarning?: string;
  /** Whether the API server answers in this version. @defaultValue true */
  readonly served?: boolean;
  /**
   * Who answers for the kind: the API server itself, for a CRD tells it how, or a server of one's own behind an APIService,
   * for which the generator writes that and an OpenAPI document in place of a CRD.
   *
   * @defaultValue 'crd'
   */
  readonly servedBy?: 'crd' | 'aggregated';
  /** What an aggregated server can do with the kind (`get`, `list`, `watch`, …), for its document. @defaultValue all */
  readonly verbs?: readonly string[];
  /** Fields that `--field-selector` may name, besides the name and the namespace: `.spec.class`. */
  readonly selectableFields?: readonly string[];
  /** Labels of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the CustomResourceDefinition itself. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What a comment cannot say, by dotted field path: CEL rules over several lines, patterns that hold a comment's end. */
  readonly schema?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A kind made by {@link defineKind}: makes objects, is usable wherever a `Kind` is, and describes its CRD. */
export interface DefinedKind<T> extends KindFactory<T>, KindSettings {}

/** What a {@link DefinedKind} knows beyond its name, scope and plural. */
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
 * Declares a custom kind; the type arguments are its spec and its status. Call the result to make objects of the kind.
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
): DefinedKind<CustomResource<Spec, Status, ComputedMeta>>;
export function defineKind<Spec, Status = never>(
  definition: KindDefinition & { readonly scope: 'Cluster' },
): DefinedKind<CustomResource<Spec, Status, ClusterCustomMeta>>;
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
