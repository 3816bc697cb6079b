import type { KubernetesList, KubernetesObject, ObjectKey, ObjectMeta, Status, Stored } from '@kubewright/apimachinery';
import type { Patch } from '../patch.ts';
import type { BodyStream } from '../transport/transport.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WatchOptions,
  WriteOptions,
} from './call-options.ts';

/**
 * Calls on one kind. Cheap to make, keeps no state, reads nothing from a cache.
 *
 * Where a key or an object of a namespaced kind names no namespace, the client's default namespace is taken.
 * Every method throws `StatusError` for an answer of the API that is a failure, `TransportError` for none at all, and
 * the signal's reason when aborted. Objects that come back always carry `apiVersion` and `kind`.
 */
export interface ResourceClient<T> {
  get(key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  /** Reads one page. Use {@link ResourceClient.listAll} for all of them. */
  list(options?: ListOptions): Promise<KubernetesList<Stored<T>>>;
  /** Reads page by page; when a continue token has expired (410), it starts over once with one unpaged read. */
  listAll(options?: ListOptions): AsyncIterable<Stored<T>>;
  create(object: T, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces the object; with `metadata.resourceVersion` set, only if it is still that version. */
  update(object: T, options?: WriteOptions): Promise<Stored<T>>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Stored<T>>;
  /** Server-side apply: says what this manager wants, creates or changes the object, takes back what it no longer says. */
  apply(object: ApplyConfiguration<T>, options?: ApplyOptions): Promise<Stored<T>>;
  /** Answers the object while it lingers (finalizers, grace), else a `Status` of `Success`. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<Stored<T> | Status>;
  deleteCollection(options?: DeleteCollectionOptions): Promise<KubernetesList<Stored<T>> | Status>;
  /** Events until the server ends the stream; opened by the first `next()`. It does not reconnect: reflectors do. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>>;
  readonly status: SubresourceClient<T, Stored<T>>;
  /** Calls on `…/<name>/<subresource>`; `S` is what travels there, such as a `Scale`. */
  subresource<S = KubernetesObject>(name: string): SubresourceClient<S>;
  /** For reflectors: the list's bytes as they come, nothing parsed. */
  listStream(options?: ListOptions): Promise<ByteStream>;
  /** For reflectors: the watch's raw chunks; the consumer splits lines. */
  watchStream(options?: WatchOptions): Promise<ByteStream>;
}

/** An answer whose body was not read yet. Read it to its end or leave the loop: it holds a stream of a connection. */
export interface ByteStream {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyStream;
}

/** Calls on a subresource: `status`, `scale`, `eviction`, `token`, `binding`, …; errors as with {@link ResourceClient}. */
export interface SubresourceClient<S, A = S> {
  get(key: ObjectKey, options?: GetOptions): Promise<A>;
  /** Sends `body` to the subresource of `key`. What comes back depends on it: an eviction answers a `Status`. */
  create<R = A>(key: ObjectKey, body: object, options?: WriteOptions): Promise<R>;
  /** Replaces by the object's own name. */
  update(object: S, options?: WriteOptions): Promise<A>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<A>;
  apply(object: ApplyConfiguration<S>, options?: ApplyOptions): Promise<A>;
  /** For bodies that are no objects, such as a pod's log. */
  stream(key: ObjectKey, options?: StreamOptions): Promise<ByteStream>;
}

/** Options of {@link SubresourceClient.stream}. */
export interface StreamOptions extends CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Keep it on connections apart from short calls. @defaultValue false */
  readonly longRunning?: boolean;
}

/** What one manager says of an object in an apply: identity, and any part of the rest. */
export type ApplyConfiguration<T> = {
  readonly [K in keyof T as K extends 'apiVersion' | 'kind' | 'metadata' ? never : K]?: DeepPartial<T[K]>;
} & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta & { readonly name: string };
};

/** `T` with everything optional, lists kept whole. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? { readonly [I in keyof T]: DeepPartial<T[I]> }
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;
