import type {
  KindInit,
  KubernetesList,
  KubernetesObject,
  ObjectKey,
  ObjectMeta,
  Status,
  Stored,
} from '@kubewright/apimachinery';
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
  WaitForDeletionOptions,
  WatchOptions,
  WriteOptions,
} from './call-options.ts';

/**
 * A client for one kind. It is cheap to create, has no state, and never reads from a cache.
 *
 * If a key or an object of a namespaced kind has no namespace, the client's default namespace applies. Every method throws a
 * `StatusError` for an error response of the API, a `TransportError` if there is no response, and the signal's reason when
 * aborted. Returned objects always have `apiVersion` and `kind`.
 */
export interface ResourceClient<T> {
  get(key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  /** Reads one page. Use {@link ResourceClient.listAll} for all pages. */
  list(options?: ListOptions): Promise<KubernetesList<Stored<T>>>;
  /** Reads all pages; if a continue token has expired (410), restarts once with a single unpaged read. */
  listAll(options?: ListOptions): AsyncIterable<Stored<T>>;
  /** Creates the object. For kinds that are never stored, such as `SubjectAccessReview`, `{ spec }` is enough. */
  create(object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces the object; with `metadata.resourceVersion` set, only if it still has that version. */
  update(object: T, options?: WriteOptions): Promise<Stored<T>>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Server-side apply: creates or updates the object with the declared fields, and removes the fields that this manager
   * no longer declares.
   */
  apply(object: ApplyConfiguration<T>, options?: ApplyOptions): Promise<Stored<T>>;
  /** Returns the object while its deletion is pending (finalizers, grace period), otherwise a `Status` of `Success`. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<Stored<T> | Status>;
  deleteCollection(options?: DeleteCollectionOptions): Promise<KubernetesList<Stored<T>> | Status>;
  /**
   * Returns events until the server ends the stream; the first `next()` opens the stream. Does not reconnect; use a
   * reflector for that.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>>;
  /**
   * Waits until the object exists and `condition` returns true for it; returns the object in that state. Lists once,
   * then watches; does not poll, and survives lost connections and expired versions. If the object is deleted, the wait
   * continues, because the object may be created again. To give up, throw in `condition`; to limit the time, pass a
   * signal. Like `kubectl wait --for=condition=…` or `--for=jsonpath=…`, with a function as the condition.
   *
   * @example
   * const pod = await pods.waitFor({ name: 'web-0' }, ({ status }) => status?.phase === 'Running', { signal });
   * @throws the signal's reason, an error thrown by `condition`, and a `StatusError` if reading is forbidden.
   */
  waitFor(key: ObjectKey, condition: (object: Stored<T>) => boolean, options?: CallOptions): Promise<Stored<T>>;
  /**
   * Waits until the object does not exist, or, with `uid`, until it has a different UID. Like `kubectl wait --for=delete`.
   *
   * @example
   * const { metadata } = await pods.get({ name: 'web-0' });
   * await pods.delete({ name: 'web-0' });
   * await pods.waitForDeletion({ name: 'web-0' }, { uid: metadata.uid, signal });
   */
  waitForDeletion(key: ObjectKey, options?: WaitForDeletionOptions): Promise<void>;
  readonly status: SubresourceClient<T, Stored<T>>;
  /** Returns a client for `…/<name>/<subresource>`; `S` is the type of the subresource's objects, such as `Scale`. */
  subresource<S = KubernetesObject>(name: string): SubresourceClient<S>;
  /** Streams the bytes of the list without parsing them, for reflectors. */
  listStream(options?: ListOptions): Promise<ByteStream>;
  /** Streams the raw chunks of the watch, for reflectors; the consumer splits lines. */
  watchStream(options?: WatchOptions): Promise<ByteStream>;
}

/** An object to create. For a kind that is never stored, type and metadata are optional. */
export type Creatable<T> =
  | T
  | (Stored<T> extends { readonly metadata: { readonly name: string } } ? never : KindInit<T>);

/**
 * A response whose body has not been read yet. Read the body to its end or leave the loop, because an open body
 * occupies a stream of a connection.
 */
export interface ByteStream {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyStream;
}

/**
 * A client for a subresource: `status`, `scale`, `eviction`, `token`, `binding`, …. Throws the same errors as {@link
 * ResourceClient}.
 *
 * @example
 * ```ts
 * interface Scale extends KubernetesObject { readonly spec: { readonly replicas: number } }
 *
 * const scales: SubresourceClient<Scale> = client.resource(Deployment).subresource<Scale>('scale');
 * await scales.patch({ namespace: 'shop', name: 'web' }, { type: 'merge', body: { spec: { replicas: 3 } } });
 * ```
 */
export interface SubresourceClient<S, A = S> {
  get(key: ObjectKey, options?: GetOptions): Promise<A>;
  /** Sends `body` to the subresource of `key`. The result depends on the subresource: an eviction returns a `Status`. */
  create<R = A>(key: ObjectKey, body: object, options?: WriteOptions): Promise<R>;
  /** Replaces the subresource of the object with the same name. */
  update(object: S, options?: WriteOptions): Promise<A>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<A>;
  apply(object: ApplyConfiguration<S>, options?: ApplyOptions): Promise<A>;
  /** Streams a response that is not an object, such as a pod's log. */
  stream(key: ObjectKey, options?: StreamOptions): Promise<ByteStream>;
}

/** Options for {@link SubresourceClient.stream}. */
export interface StreamOptions extends CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** True to use connections separate from those of short calls. @defaultValue false */
  readonly longRunning?: boolean;
}

/**
 * The part of an object that one manager declares in an apply: the object's identity and any other fields. The result
 * of a kind's factory, such as `ConfigMap({ … })`, qualifies. `metadata.name` must be set: an apply without it is
 * rejected with a `RequestError`.
 *
 * @example
 * ```ts
 * const change: ApplyConfiguration<Pod> = { metadata: { name: 'web', labels: { team: 'a' } } };
 * ```
 */
export type ApplyConfiguration<T> = {
  readonly [K in keyof T as K extends 'apiVersion' | 'kind' | 'metadata' ? never : K]?: DeepPartial<T[K]>;
} & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};

/** `T` with all fields optional, at any depth; lists keep their length. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? { readonly [I in keyof T]: DeepPartial<T[I]> }
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;
