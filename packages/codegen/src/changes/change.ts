/** A difference between two states of a CRD, and its effect on users of the older state. */
export interface CrdChange {
  /** The kind of change, as listed in allowed changes. */
  readonly kind: CrdChangeKind;
  /** `breaking`: the change breaks valid objects or clients. `safe`: it does not affect existing users. */
  readonly severity: 'breaking' | 'safe';
  /** The affected version; undefined if the change affects the whole kind. */
  readonly version?: string;
  /** Path from the object's root: `spec.users[].name`. Empty if the change does not concern a field. */
  readonly path: string;
  readonly message: string;
}

/** The kinds of change that {@link compareCrds} distinguishes. */
export type CrdChangeKind = BreakingKind | SafeKind;

type BreakingKind =
  // Kind.
  | 'group-changed'
  | 'kind-changed'
  | 'plural-changed'
  | 'scope-changed'
  | 'short-name-removed'
  | 'category-removed'
  | 'singular-changed'
  // Versions.
  | 'version-removed'
  | 'version-not-served'
  | 'storage-version-changed'
  | 'status-subresource-removed'
  | 'status-subresource-added'
  | 'scale-subresource-removed'
  | 'scale-path-changed'
  | 'column-removed'
  | 'column-changed'
  | 'selectable-field-removed'
  // Fields.
  | 'field-removed'
  | 'field-required'
  | 'required-field-added'
  | 'type-changed'
  | 'format-changed'
  | 'enum-added'
  | 'enum-value-removed'
  | 'pattern-changed'
  | 'limit-added'
  | 'limit-tightened'
  | 'multiple-of-changed'
  | 'nullable-removed'
  | 'default-changed'
  | 'default-removed'
  | 'default-added'
  | 'list-type-changed'
  | 'list-keys-changed'
  | 'map-type-changed'
  | 'map-removed'
  | 'unknown-fields-pruned'
  | 'embedded-resource-changed'
  | 'int-or-string-removed'
  | 'rule-added'
  | 'rule-changed'
  | 'alternatives-changed';

type SafeKind =
  | 'version-added'
  | 'version-served'
  | 'version-deprecated'
  | 'short-name-added'
  | 'category-added'
  | 'scale-subresource-added'
  | 'column-added'
  | 'selectable-field-added'
  | 'field-added'
  | 'field-unnamed'
  | 'map-added'
  | 'field-optional'
  | 'enum-removed'
  | 'enum-value-added'
  | 'pattern-removed'
  | 'limit-removed'
  | 'limit-loosened'
  | 'nullable-added'
  | 'unknown-fields-kept'
  | 'int-or-string-added'
  | 'rule-removed'
  | 'description-changed';

const safe: ReadonlySet<CrdChangeKind> = new Set<SafeKind>([
  'version-added',
  'version-served',
  'version-deprecated',
  'short-name-added',
  'category-added',
  'scale-subresource-added',
  'column-added',
  'selectable-field-added',
  'field-added',
  'field-unnamed',
  'map-added',
  'field-optional',
  'enum-removed',
  'enum-value-added',
  'pattern-removed',
  'limit-removed',
  'limit-loosened',
  'nullable-added',
  'unknown-fields-kept',
  'int-or-string-added',
  'rule-removed',
  'description-changed',
]);

/** Collects the changes of one version, or of the whole kind. */
export class Changes {
  readonly list: CrdChange[] = [];
  readonly #version: string | undefined;

  constructor(version?: string) {
    this.#version = version;
  }

  add(kind: CrdChangeKind, path: string, message: string): void {
    const version = this.#version === undefined ? {} : { version: this.#version };
    this.list.push({ kind, severity: safe.has(kind) ? 'safe' : 'breaking', ...version, path, message });
  }
}
