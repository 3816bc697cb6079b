import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ComputedResource, ComputedSelection, ConnectSubresource } from '../registry/resource-definition.ts';

/** A kind whose objects are not stored; created by {@link computed}. */
export interface ComputedKind {
  readonly kind: Kind<KubernetesObject>;
  readonly handlers: ComputedResource;
  readonly subresources: Readonly<Record<string, ComputedSubresource>>;
}

/** A path below an object of a computed kind. */
export interface ComputedSubresource {
  /** RBAC verbs that the path supports: `get` for GET, `create` for POST, and so on. @defaultValue `['get']` */
  readonly verbs?: readonly ('get' | 'create' | 'update' | 'patch' | 'delete')[] | undefined;
  /**
   * Kind of the body. If the kind ends in `Options`, requests pass admission as CONNECT. @defaultValue the kind itself
   */
  readonly kind?: string | undefined;
  /** Handles a request, which may be an upgrade to another protocol. */
  readonly connect: ConnectSubresource['connect'];
}

/** The request that a handler of a computed kind serves. */
export interface ComputedCall {
  /** Empty for cluster-scoped kinds, and for lists of all namespaces. */
  readonly namespace: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The handlers of a computed kind, by verb. The server responds with 405 to verbs without a handler. */
export interface ComputedHandlers<T> {
  /** Returns an object, or undefined if it does not exist. */
  get?(call: ComputedCall & { readonly name: string }): Promise<T | undefined> | T | undefined;
  /** Returns all objects of a namespace, or a page of them. The server applies selectors. */
  list?(
    call: ComputedCall & ComputedSelection,
  ): Promise<readonly T[] | ComputedPage<T>> | readonly T[] | ComputedPage<T>;
  /** Yields changes until the caller disconnects. The server applies selectors. */
  watch?(call: ComputedCall & ComputedSelection): AsyncIterable<ComputedChange<T>>;
  /** Returns the response to a create. The object has passed decoding, defaulting, validation and admission. */
  create?(call: ComputedCall & { readonly object: T; readonly dryRun: boolean }): Promise<T> | T;
  /**
   * Stores a changed object, and returns it as stored. Serves updates and all patch types, which also require {@link
   * get}. The object has passed the same stages as an object of a stored kind, including the check of its
   * resourceVersion. Not called for dry runs.
   *
   * Throw a conflict if `old` is no longer current.
   */
  update?(call: ComputedCall & { readonly name: string; readonly object: T; readonly old: T }): Promise<T> | T;
  /**
   * Deletes an object that {@link get} returns, after preconditions and admission. Not called for dry runs. With {@link
   * list}, also serves `deletecollection`: the server calls this handler for each listed object, one after the other.
   */
  delete?(call: ComputedCall & { readonly name: string; readonly old: T }): Promise<unknown> | unknown;
  /** Paths below an object that you serve with your own handler, by name. @defaultValue none */
  readonly subresources?: Readonly<Record<string, ComputedSubresource>> | undefined;
}

/** A page of a computed kind's objects, as returned by `list`. */
export interface ComputedPage<T> {
  readonly items: readonly T[];
  /** The version of the list: a number. @defaultValue '0' */
  readonly resourceVersion?: string | undefined;
  /** Token for the next page, which the client sends as `continue`. @defaultValue this is the last page */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/**
 * A change yielded by a computed kind's `watch`.
 *
 * @example
 * ```ts
 * async function* watch(): AsyncGenerator<ComputedChange<WellReport>> {
 *   for await (const object of measurements) yield { type: 'MODIFIED', object };
 * }
 * ```
 */
export interface ComputedChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/**
 * Declares a kind whose objects your functions compute, such as metrics, or keep in another system. The server negotiates formats,
 * applies selectors, and prints tables.
 *
 * @example
 * ```ts
 * const reports = computed(WellReport, {
 *   list: ({ namespace }) => reportsOf(namespace),
 *   get: ({ namespace, name }) => reportsOf(namespace).find(({ metadata }) => metadata.name === name),
 * });
 * ```
 */
export function computed<T extends KubernetesObject>(kind: Kind<T>, handlers: ComputedHandlers<T>): ComputedKind {
  const { subresources = {} } = handlers;
  // The server passes each kind's handlers only objects that its schema has validated.
  return { kind: kind as Kind<KubernetesObject>, handlers: handlers as unknown as ComputedResource, subresources };
}
