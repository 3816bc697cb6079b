import {
  apiVersionOf,
  formatObjectKey,
  type Kind,
  type KubernetesObject,
  KubewrightError,
  type ObjectKey,
} from '@kubewright/apimachinery';

/** Thrown when reading a kind that is not declared. */
export class KindNotCachedError extends KubewrightError {
  override readonly name = 'KindNotCachedError';
  /** Declare the kind; retrying does not help. */
  readonly code = 'KW3001';

  constructor(kind: Kind<KubernetesObject>, { why, remedy }: { readonly why?: string; readonly remedy?: string } = {}) {
    super({
      what: `cannot read ${kind.kind} from the cache`,
      why: why ?? 'the kind is not declared',
      remedy: remedy ?? `add ${kind.kind} to "owns", "watches" or "caches", or read the object with the client`,
    });
  }
}

/** Thrown when reading an object outside the scope of the cache, so the cache cannot know whether the object exists. */
export class OutsideCacheScopeError extends KubewrightError {
  override readonly name = 'OutsideCacheScopeError';
  /** Widen the declaration; retrying does not help. */
  readonly code = 'KW3015';

  constructor(kind: Kind<KubernetesObject>, key: ObjectKey) {
    super({
      what: `cannot read ${kind.kind} ${formatObjectKey(key)} from the cache`,
      why: "the cache's namespaces or selectors do not include this object",
      remedy: 'widen the namespaces or selectors of the cache, or read the object with ctx.get or the client',
    });
  }
}

/**
 * Thrown when a list by index, or a wait on a kind declared with `whenMissing: 'fail'`, finds that the API server does not serve
 * the kind.
 */
export class KindNotServedError extends KubewrightError {
  override readonly name = 'KindNotServedError';
  /** Retry once the kind is installed. */
  readonly code = 'KW3016';

  constructor(kind: Kind<KubernetesObject>) {
    super({
      what: `cannot cache ${kind.kind} (${apiVersionOf(kind)})`,
      why: 'the API server does not serve this kind',
      remedy: `install the CustomResourceDefinition of ${kind.kind}, or declare the kind with whenMissing "wait" or "empty"`,
    });
  }
}

/** Thrown when removing a kind that controllers still follow. */
export class CacheInUseError extends KubewrightError {
  override readonly name = 'CacheInUseError';
  /** Stop the controllers that follow the kind first. */
  readonly code = 'KW3017';

  constructor(kind: Kind<KubernetesObject>) {
    super({
      what: `cannot remove ${kind.kind} from the cache`,
      why: 'controllers still watch this kind',
      remedy: 'stop these controllers first',
    });
  }
}

/** Thrown when changing the namespaces of a kind that has several declarations with different namespaces. */
export class AmbiguousNamespacesError extends KubewrightError {
  override readonly name = 'AmbiguousNamespacesError';
  /** Name the declaration to change; retrying does not help. */
  readonly code = 'KW3019';

  constructor(kind: Kind<KubernetesObject>) {
    super({
      what: `cannot change the cached namespaces of ${kind.kind}`,
      why: 'the kind is declared several times, with different namespaces',
      remedy: 'pass the declaration to change as "of"',
    });
  }
}

/** Thrown when one index name of a kind is declared with two different functions. */
export class IndexConflictError extends KubewrightError {
  override readonly name = 'IndexConflictError';
  /** Change one of the declarations; retrying does not help. */
  readonly code = 'KW3018';

  constructor(kind: Kind<KubernetesObject>, index: string) {
    super({
      what: `cannot declare the index "${index}" of ${kind.kind}`,
      why: 'the index is already declared with another function',
      remedy: 'define the function once and pass it to every declaration, or rename the index',
    });
  }
}

/** Thrown when listing by an index or a field that is not declared. */
export class UnknownIndexError extends KubewrightError {
  override readonly name = 'UnknownIndexError';
  /** Declare the index; retrying does not help. */
  readonly code = 'KW3012';

  constructor(index: string) {
    super({
      what: `cannot list by the index "${index}"`,
      why: 'the index is not declared',
      remedy: `add "${index}" to "indexes" where the kind is cached`,
    });
  }
}
