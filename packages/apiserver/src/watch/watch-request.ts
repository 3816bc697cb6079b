import type { KubernetesObject, Status } from '@kubewright/apimachinery';
import type { StoredObject } from '../storage/index.ts';
import type { WatchEventType } from './watch-frame.ts';

/** A client's watch of one resource: its selection and representation. Built by the registry from the query. */
export interface WatchRequest {
  readonly representation: WatchRepresentation;
  /** Selects the objects of this namespace. @defaultValue all objects */
  readonly namespace?: string | undefined;
  /** Selects the object of this name. @defaultValue all objects */
  readonly name?: string | undefined;
  /** Label and field selectors combined; absent means everything. */
  readonly filter?: WatchFilter | undefined;
  /** As sent. Empty or absent: start with the newest state. `0`: start with any state. `N`: start with the changes after N. */
  readonly resourceVersion?: string | undefined;
  /** As sent. Must be `NotOlderThan`, and requires `sendInitialEvents`. */
  readonly resourceVersionMatch?: string | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** @defaultValue false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Seconds after which the stream ends. @defaultValue random, 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
  /** The user whose limit of unread events applies. @defaultValue no limit */
  readonly owner?: string | undefined;
  /** Ends the stream when aborted. */
  readonly signal: AbortSignal;
}

/**
 * A way to encode objects on a watch: as plain JSON of a version, as a Table, or as PartialObjectMetadata. Watchers whose
 * representations have the same `id` share the encoded events.
 */
export interface WatchRepresentation {
  /** Representations with the same id encode objects identically, e.g. `json apps/v1`, `table apps/v1 Metadata`. */
  readonly id: string;
  /** Encodes an event's `object`. Called once per change, representation and value of `first`. */
  encode(item: WatchItem, position: WatchPosition): Uint8Array;
  /** Encodes a BOOKMARK's `object`: only kind, apiVersion, resourceVersion and the given annotations. */
  bookmark(resourceVersion: string, options: BookmarkOptions): Uint8Array;
  /** True if a stream's first event is encoded differently (Table: column definitions). @defaultValue false */
  readonly firstDiffers?: boolean | undefined;
  /** The framing of events. @defaultValue lines of JSON */
  readonly framing?: WatchFraming | undefined;
}

/** Options for {@link WatchRepresentation.bookmark}. */
export interface BookmarkOptions extends WatchPosition {
  /** @defaultValue none */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Writes a stream's events. */
export interface WatchFraming {
  /** Wraps an encoded object in an event. */
  frame(type: WatchEventType, object: Uint8Array): Uint8Array;
  /** Encodes the object of the ERROR event that gives the reason why the stream ends. */
  status(status: Status): Uint8Array;
}

/** The position of an event in a stream. */
export interface WatchPosition {
  /** True for the first event of its stream; always false unless {@link WatchRepresentation.firstDiffers}. */
  readonly first: boolean;
}

/**
 * An object for watchers, with the revision of the event (of the deletion in DELETED events). It is decoded at most once, on
 * first use.
 */
export interface WatchItem extends StoredObject {
  /** The decoded object. Shared: must never be modified. */
  readonly object: KubernetesObject;
}

/** Decides which objects a watcher receives. Evaluated once per change and distinct `id`. */
export interface WatchFilter {
  /** Canonical text of the selectors. */
  readonly id: string;
  matches(item: WatchItem): boolean;
  /** A field value that every matching object has. The filter is not evaluated for changes to objects with other values. */
  readonly trigger?: WatchTrigger | undefined;
}

/** A field and the exact value that a filter requires, such as a pod's node. */
export interface WatchTrigger {
  /** Identifies the field: equal for filters that read the same field in the same way. */
  readonly field: string;
  readonly value: string;
  /** Returns the field's value. */
  of(item: WatchItem): string;
}

/** The watches of one resource. */
export interface WatchSource {
  /**
   * Starts a watch. Each chunk is one or more whole frames, `{"type":…,"object":…}` and a line feed. A failure after the start is
   * sent as an ERROR frame, then the stream ends.
   *
   * @throws StatusError 400, 422 or 504 when the request cannot be served; nothing was started.
   */
  watch(request: WatchRequest): Promise<AsyncIterable<Uint8Array>>;
}
