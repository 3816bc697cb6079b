import { FieldSelector, type KubernetesObject, LabelSelector } from '@kubewright/apimachinery';
import type { ListWatchScope } from '../reflector/list-watcher.ts';
import type { CachedKind, CacheSelectors } from './cached-kind.ts';

const namespaceField = 'metadata.namespace';

/** The part of a kind that one informer follows. */
export class CacheScope {
  readonly listWatch: ListWatchScope;
  /** True if the scope contains every object of the namespaces it covers. */
  readonly isWhole: boolean;
  readonly #labels: LabelSelector;
  /** Conditions on fields other than the namespace. */
  readonly #fields: FieldSelector['requirements'];
  /** The namespaces that the field selector requires and excludes; as sets, because a scope may exclude many. */
  readonly #required: ReadonlySet<string>;
  readonly #excluded: ReadonlySet<string>;

  constructor(listWatch: ListWatchScope) {
    this.listWatch = listWatch;
    this.#labels = LabelSelector.parse(listWatch.labelSelector ?? '');
    const { requirements } = FieldSelector.parse(listWatch.fieldSelector ?? '');
    this.#fields = requirements.filter(({ field }) => field !== namespaceField);
    const ofNamespace = requirements.filter(({ field }) => field === namespaceField);
    const required = ofNamespace.filter(({ operator }) => operator === '=').map(({ value }) => value);
    this.#required = new Set(required);
    this.#excluded = new Set(ofNamespace.filter(({ operator }) => operator !== '=').map(({ value }) => value));
    this.isWhole = this.#labels.isEmpty && this.#fields.length === 0;
  }

  /** Reports whether the scope may contain objects of the namespace. */
  covers(namespace: string | undefined): boolean {
    const own = this.listWatch.namespace;
    if (own !== undefined) return own === namespace;
    const name = namespace ?? '';
    return (
      !this.#excluded.has(name) &&
      (this.#required.size === 0 || (this.#required.size === 1 && this.#required.has(name)))
    );
  }

  /** Reports whether the scope contains the object. The object must have all its fields. */
  holds(object: KubernetesObject): boolean {
    const { namespace, labels = {} } = object.metadata;
    if (!this.covers(namespace) || !this.#labels.matches(labels)) return false;
    return this.#fields.every((term) => hasValue(object, term) === (term.operator === '='));
  }
}

/** Returns the scopes of a declaration, one per informer; `namespaces` applies if the declaration names none. */
export function scopesOf(cached: CachedKind, namespaces: readonly string[] | undefined): readonly CacheScope[] {
  const named = cached.namespaces ?? namespaces ?? [];
  const parts: Readonly<Record<string, CacheSelectors>> = isNames(named)
    ? Object.fromEntries(named.map((namespace) => [namespace, {}]))
    : named;
  const names = Object.keys(parts).sort();
  if (cached.kind.scope === 'Cluster' || names.length === 0) return [new CacheScope(selectorsOf(cached, {}))];
  return names.map((namespace) => {
    const selectors = selectorsOf(cached, Object.hasOwn(parts, namespace) ? (parts[namespace] ?? {}) : {});
    if (namespace !== '') return new CacheScope({ namespace, ...selectors });
    const others = names.filter((name) => name !== '').map((name) => `metadata.namespace!=${name}`);
    const fieldSelector = [selectors.fieldSelector, ...others].filter((term) => term).join(',');
    return new CacheScope({ ...selectors, fieldSelector: fieldSelector === '' ? undefined : fieldSelector });
  });
}

/**
 * Reports whether the field has the value. A missing field counts as `false` or `0`, the values the server fills in.
 */
function hasValue(object: KubernetesObject, { field, value }: FieldSelector['requirements'][number]): boolean {
  const text = fieldText(object, field);
  return text === value || (text === '' && (value === 'false' || value === '0'));
}

/** Reads a field as text, the way field selectors compare it; `''` if it is missing. */
function fieldText(object: unknown, path: string): string {
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

function selectorsOf(cached: CachedKind, own: CacheSelectors): ListWatchScope {
  return {
    labelSelector: own.labelSelector ?? cached.labelSelector,
    fieldSelector: own.fieldSelector ?? cached.fieldSelector,
  };
}

/** Reports whether the namespaces are a plain list of names, without selectors. */
export function isNames(namespaces: NonNullable<CachedKind['namespaces']>): namespaces is readonly string[] {
  return Array.isArray(namespaces);
}
