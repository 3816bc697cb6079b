/**
 * The schema of a value. Built-in kinds (from the generated table) and custom resources (from their CRDs) share this
 * form, so strict decoding, pruning, defaulting, patches and server-side apply are implemented only once.
 *
 * Nodes are immutable. Nodes can be recursive (`JSONSchemaProps`), because getters resolve references lazily.
 */
export interface SchemaNode {
  /** `any` accepts any value (`RawExtension`, `JSON`, a schema without a type). */
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any';
  /**
   * Go name of a built-in structure with its package, for decode errors: `v1.LabelSelector`, `resource.Quantity`,
   * `v1.MicroTime`. Absent for maps, lists, scalars and custom resources.
   */
  readonly typeName?: string | undefined;
  /** Name of a built-in structure's definition: `io.k8s.api.rbac.v1.Subject`. */
  readonly definition?: string | undefined;
  /** OpenAPI format, e.g. `int32`, `date-time`, `byte`. */
  readonly format?: string | undefined;

  /** Fields of a structure, for built-in ones in the order of the Go structure. An object with neither `properties` nor `additionalProperties` has no known fields. */
  readonly properties?: ReadonlyMap<string, SchemaNode> | undefined;
  /** Value type of a map. */
  readonly additionalProperties?: SchemaNode | undefined;
  /** Element type of a list. */
  readonly items?: SchemaNode | undefined;
  readonly required?: readonly string[] | undefined;

  /** `x-kubernetes-list-type`; absent means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  /** `x-kubernetes-list-map-keys`: identifies elements for server-side apply. May differ from {@link patchMergeKey}. */
  readonly listMapKeys?: readonly string[] | undefined;
  /** `x-kubernetes-map-type`; absent means granular. */
  readonly mapType?: 'granular' | 'atomic' | undefined;
  /** `x-kubernetes-patch-merge-key`: identifies elements for strategic merge patches. Built-in kinds only. */
  readonly patchMergeKey?: string | undefined;
  /** `x-kubernetes-patch-strategy`, split at commas. Built-in kinds only. */
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[] | undefined;

  /** `x-kubernetes-int-or-string`, and built-in `IntOrString`. */
  readonly intOrString?: boolean | undefined;
  /** `x-kubernetes-preserve-unknown-fields`. */
  readonly preserveUnknownFields?: boolean | undefined;
  /** `x-kubernetes-embedded-resource`. */
  readonly embeddedResource?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  /** Default value for an absent field. */
  readonly default?: unknown;
}
