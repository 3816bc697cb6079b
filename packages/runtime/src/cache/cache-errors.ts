import {
  apiVersionOf,
  formatObjectKey,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
} from '@kubewright/apimachinery';

/** Thrown for a read of a kind that was not declared. */
export class KindNotCachedError extends Error {
  /** Names the class of failure; the declaration must be added, a retry is no use. */
  readonly code = 'KW3001';

  constructor(kind: Kind<KubernetesObject>, detail = 'it is not declared') {
    super(
      `cannot read ${kind.kind} from the cache: ${detail}; add it to "owns", "watches" or "caches", or read it live with the client`,
    );
    this.name = 'KindNotCachedError';
  }
}

/** Thrown for a read of an object that may well exist, but not where the cache looks. */
export class OutsideCacheScopeError extends Error {
  /** Names the class of failure; the declaration must be widened, a retry is no use. */
  readonly code = 'KW3015';

  constructor(kind: Kind<KubernetesObject>, key: ObjectKey) {
    super(
      `cannot read ${kind.kind} ${formatObjectKey(key)} from the cache: it is outside the namespaces or selectors that are cached; widen the declaration, or read it with ctx.get or the client`,
    );
    this.name = 'OutsideCacheScopeError';
  }
}

/** Thrown where a kind that the API server does not serve is waited for, if the declaration says so, or listed by an index. */
export class KindNotServedError extends Error {
  /** Names the class of failure; worth a retry once the kind is installed. */
  readonly code = 'KW3016';

  constructor(kind: Kind<KubernetesObject>) {
    super(
      `cannot cache ${kind.kind} (${apiVersionOf(kind)}): the API server does not serve it; install its CustomResourceDefinition, or declare it with whenMissing "wait" or "empty"`,
    );
    this.name = 'KindNotServedError';
  }
}

/** Thrown when a kind that still has followers should be removed from the cache. */
export class CacheInUseError extends Error {
  /** Names the class of failure; stop what follows the kind first. */
  readonly code = 'KW3017';

  constructor(kind: Kind<KubernetesObject>) {
    super(`cannot remove ${kind.kind} from the cache: controllers still follow it; stop them first`);
    this.name = 'CacheInUseError';
  }
}

/** Thrown when one index name of a kind is declared with two functions. */
export class IndexConflictError extends Error {
  /** Names the class of failure; a declaration must be changed, a retry is no use. */
  readonly code = 'KW3018';

  constructor(kind: Kind<KubernetesObject>, index: string) {
    super(
      `cannot declare the index "${index}" of ${kind.kind}: it is declared with another function already, and reads could not tell the two apart; define the function once, outside of what makes the declarations, or give the index another name`,
    );
    this.name = 'IndexConflictError';
  }
}

/** Thrown for a list by an index or a field that was not declared. */
export class UnknownIndexError extends Error {
  /** Names the class of failure; the index must be declared, a retry is no use. */
  readonly code = 'KW3012';

  constructor(index: string) {
    super(`cannot list by the index "${index}": it is not declared; add it to "indexes" where the kind is cached`);
    this.name = 'UnknownIndexError';
  }
}
