import { FieldSelector, type KubernetesObject, LabelSelector } from '@kubewright/apimachinery';
import type { ListWatchScope } from '../reflector/list-watcher.ts';
import type { CachedKind, CacheSelectors } from './cached-kind.ts';

/** The part of a kind that one informer follows. */
export class CacheScope {
  readonly listWatch: ListWatchScope;
  readonly #labels: LabelSelector;
  readonly #fields: FieldSelector;

  constructor(listWatch: ListWatchScope) {
    this.listWatch = listWatch;
    this.#labels = LabelSelector.parse(listWatch.labelSelector ?? '');
    this.#fields = FieldSelector.parse(listWatch.fieldSelector ?? '');
  }

  /** True if the scope may contain objects of the namespace. */
  covers(namespace: string | undefined): boolean {
    const own = this.listWatch.namespace;
    if (own !== undefined) return own === namespace;
    return this.#fields.requirements.every(
      ({ field, operator, value }) =>
        field !== 'metadata.namespace' || (value === (namespace ?? '')) === (operator === '='),
    );
  }

  /** True if the scope contains the object, which must be complete. */
  holds(object: KubernetesObject): boolean {
    const { namespace, labels = {} } = object.metadata;
    if (!this.covers(namespace) || !this.#labels.matches(labels)) return false;
    return this.#fields.requirements.every((term) => hasValue(object, term) === (term.operator === '='));
  }

  /** True if the scope contains every object of the namespaces it covers. */
  get isWhole(): boolean {
    return this.#labels.isEmpty && this.#fields.requirements.every(({ field }) => field === 'metadata.namespace');
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

/** True if the field has the value. A missing field counts as `false` or `0`, the values the server fills in. */
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

function isNames(namespaces: NonNullable<CachedKind['namespaces']>): namespaces is readonly string[] {
  return Array.isArray(namespaces);
}
