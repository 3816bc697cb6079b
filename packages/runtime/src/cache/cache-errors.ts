import {
  apiVersionOf,
  formatObjectKey,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
} from '@kubewright/apimachinery';

/** Thrown when reading a kind that is not declared. */
export class KindNotCachedError extends Error {
  /** Declare the kind; retrying does not help. */
  readonly code = 'KW3001';

  constructor(kind: Kind<KubernetesObject>, detail = 'it is not declared') {
    super(
      `cannot read ${kind.kind} from the cache: ${detail}; add it to "owns", "watches" or "caches", or read it live with the client`,
    );
    this.name = 'KindNotCachedError';
  }
}

/** Thrown when reading an object that may exist, but outside the scope of the cache. */
export class OutsideCacheScopeError extends Error {
  /** Widen the declaration; retrying does not help. */
  readonly code = 'KW3015';

  constructor(kind: Kind<KubernetesObject>, key: ObjectKey) {
    super(
      `cannot read ${kind.kind} ${formatObjectKey(key)} from the cache: it is outside the namespaces or selectors that are cached; widen the declaration, or read it with ctx.get or the client`,
    );
    this.name = 'OutsideCacheScopeError';
  }
}

/**
 * Thrown when a list by index, or a wait on a kind declared with `whenMissing: 'fail'`, finds that the API server does not serve
 * the kind.
 */
export class KindNotServedError extends Error {
  /** Retry once the kind is installed. */
  readonly code = 'KW3016';

  constructor(kind: Kind<KubernetesObject>) {
    super(
      `cannot cache ${kind.kind} (${apiVersionOf(kind)}): the API server does not serve it; install its CustomResourceDefinition, or declare it with whenMissing "wait" or "empty"`,
    );
    this.name = 'KindNotServedError';
  }
}

/** Thrown when removing a kind that controllers still follow. */
export class CacheInUseError extends Error {
  /** Stop the controllers that follow the kind first. */
  readonly code = 'KW3017';

  constructor(kind: Kind<KubernetesObject>) {
    super(`cannot remove ${kind.kind} from the cache: controllers still follow it; stop them first`);
    this.name = 'CacheInUseError';
  }
}

/** Thrown when one index name of a kind is declared with two different functions. */
export class IndexConflictError extends Error {
  /** Change one of the declarations; retrying does not help. */
  readonly code = 'KW3018';

  constructor(kind: Kind<KubernetesObject>, index: string) {
    super(
      `cannot declare the index "${index}" of ${kind.kind}: it is declared with another function already, and reads could not tell the two apart; define the function once, outside of what makes the declarations, or give the index another name`,
    );
    this.name = 'IndexConflictError';
  }
}

/** Thrown when listing by an index or a field that is not declared. */
export class UnknownIndexError extends Error {
  /** Declare the index; retrying does not help. */
  readonly code = 'KW3012';

  constructor(index: string) {
    super(`cannot list by the index "${index}": it is not declared; add it to "indexes" where the kind is cached`);
    this.name = 'UnknownIndexError';
  }
}
