import type { KubernetesObject } from '@kubewright/apimachinery';

/** What one client wants to watch of one resource, and in which form. Built by the registry from the query. */
export interface WatchRequest {
  readonly representation: WatchRepresentation;
  /** Only objects of this namespace. @defaultValue all, or the cluster's for cluster-scoped kinds */
  readonly namespace?: string | undefined;
  /** Only the object of this name. */
  readonly name?: string | undefined;
  /** Label and field selectors together; absent means everything. */
  readonly filter?: WatchFilter | undefined;
  /** As sent: empty or absent means "the newest state first", `0` "any state first", `N` exactly after N. */
  readonly resourceVersion?: string | undefined;
  /** As sent; only `NotOlderThan`, and only with `sendInitialEvents`. */
  readonly resourceVersionMatch?: string | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** @defaultValue false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The stream ends after so many seconds. @defaultValue random, 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the stream when aborted. */
  readonly signal: AbortSignal;
}

/**
 * One way to write objects on a watch: the plain JSON of a version, a Table, a PartialObjectMetadata.
 * Encodings are shared by all watchers whose representations have the same `id`.
 */
export interface WatchRepresentation {
  /** Equal ids encode equally, e.g. `json apps/v1`, `table apps/v1 Metadata`. */
  readonly id: string;
  /** The JSON of an event's `object`. Called once for each change, representation and value of `first`. */
  encode(item: WatchItem, position: WatchPosition): Uint8Array;
  /** The JSON of a BOOKMARK's `object`: kind, apiVersion, resourceVersion and the given annotations only. */
  bookmark(resourceVersion: string, annotations: Readonly<Record<string, string>> | undefined): Uint8Array;
  /** True when a stream's first event looks different (Table: column definitions). @defaultValue false */
  readonly firstDiffers?: boolean | undefined;
}

/** Where on a stream an event stands. */
export interface WatchPosition {
  /** The first event of its stream; always false unless {@link WatchRepresentation.firstDiffers}. */
  readonly first: boolean;
}

/** An object on its way to watchers: stored bytes, decoded when somebody asks, once. */
export interface WatchItem {
  readonly key: string;
  /** Stored JSON; `metadata.resourceVersion` is the event's (also in DELETED). */
  readonly bytes: Uint8Array;
  /** The decoded {@link bytes}, shared: never to be modified. */
  readonly object: KubernetesObject;
}

/** Decides which objects a watcher sees. Evaluated once for each change and distinct `id`. */
export interface WatchFilter {
  /** Canonical text of the selectors. */
  readonly id: string;
  matches(item: WatchItem): boolean;
}

/** Watches of one resource. */
export interface WatchSource {
  /**
   * Starts a watch. Each chunk is one or more whole frames, `{"type":…,"object":…}` and a line feed.
   * Failures after the start are ERROR frames, then the stream ends.
   *
   * @throws StatusError 400, 422 or 504 when the request cannot be served; nothing was started.
   */
  watch(request: WatchRequest): Promise<AsyncIterable<Uint8Array>>;
}
