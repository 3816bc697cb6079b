/** What every call takes. */
export interface CallOptions {
  /** Gives the call up; the request is reset on the wire. */
  readonly signal?: AbortSignal | undefined;
}

/** A selector as the API takes it (`app=web,tier!=test`), or the pairs that must be equal. */
export type SelectorInput = string | Readonly<Record<string, string>>;

/** Options of `get`. */
export interface GetOptions extends CallOptions {
  /** Unset: the newest state. `'0'`: any state the server has at hand. A version: at least that one. */
  readonly resourceVersion?: string | undefined;
}

/** Where a call on a collection looks. */
export interface CollectionScope {
  /** One namespace; all of them when unset. Ignored for cluster-scoped kinds. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: SelectorInput | undefined;
  readonly fieldSelector?: SelectorInput | undefined;
}

/** Options of `list`. */
export interface ListOptions extends CallOptions, CollectionScope {
  /** Most items in one page; the rest follows by `continue`. */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the page before. */
  readonly continue?: string | undefined;
  /** Unset: the newest state. `'0'`: any state the server has at hand. A version: see `resourceVersionMatch`. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** The server gives up after this many seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/** Options of `watch`. */
export interface WatchOptions extends CallOptions, CollectionScope {
  /** Changes after this version. Unset or `'0'`: the present state first, as ADDED events. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  /** Asks for BOOKMARK events. @defaultValue true */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Streams the present state first, then a bookmark annotated `k8s.io/initial-events-end` (WatchList). */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the stream after this many seconds. @defaultValue the server's choice, 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** Options that all writes share. */
export interface WriteOptions extends CallOptions {
  /** Does everything but store the result. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /** Owner of the fields written. @defaultValue the client's `fieldManager`, else the server derives it from the user agent */
  readonly fieldManager?: string | undefined;
  /** What unknown and duplicate fields lead to. @defaultValue the server's: `Warn` */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

/** Options of `apply`. `fieldManager` must be given here or to the client. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other managers own, instead of failing with a conflict. @defaultValue false */
  readonly force?: boolean | undefined;
}

/** Options of `delete`. They travel in the body, as upstream's clients send them. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** Seconds to end gracefully; 0 is at once. @defaultValue the kind's own */
  readonly gracePeriodSeconds?: number | undefined;
  /** Deletes only this very object, in this very version. */
  readonly preconditions?: Preconditions | undefined;
  /** What happens to the object's dependents. @defaultValue the kind's own, mostly `Background` */
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** What must still hold for a deletion; a mismatch is a conflict. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions extends DeleteOptions, CollectionScope {
  readonly limit?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly timeoutSeconds?: number | undefined;
}
