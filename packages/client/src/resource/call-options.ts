/** Options for every call. */
export interface CallOptions {
  /** Cancels the call; the request is reset on the wire. */
  readonly signal?: AbortSignal | undefined;
}

/** A selector in the API's syntax (`app=web,tier!=test`), or keys with the exact values to match. */
export type SelectorInput = string | Readonly<Record<string, string>>;

/** Options for `get`. */
export interface GetOptions extends CallOptions {
  /** Unset: the newest state. `'0'`: any state that the server has cached. A version: a state at least as new as that version. */
  readonly resourceVersion?: string | undefined;
}

/** The scope of a call on a collection. */
export interface CollectionScope {
  /** The namespace; unset means all namespaces. Ignored for cluster-scoped kinds. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: SelectorInput | undefined;
  readonly fieldSelector?: SelectorInput | undefined;
}

/**
 * Options for `list`.
 *
 * @example
 * ```ts
 * const options: ListOptions = { namespace: 'default', labelSelector: 'app=web', limit: 500 };
 * ```
 */
export interface ListOptions extends CallOptions, CollectionScope {
  /** Maximum number of items in one page; `continue` requests the next page. */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the previous page. */
  readonly continue?: string | undefined;
  /** Unset: the newest state. `'0'`: any state that the server has cached. A version: see `resourceVersionMatch`. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Time limit that the server enforces, in seconds. */
  readonly timeoutSeconds?: number | undefined;
}

/**
 * Options for `watch`.
 *
 * @example
 * ```ts
 * const options: WatchOptions = { namespace: 'default', resourceVersion };
 * ```
 */
export interface WatchOptions extends CallOptions, CollectionScope {
  /** Changes after this version. Unset or `'0'`: the current state first, as ADDED events. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined;
  /** Requests BOOKMARK events. @defaultValue true */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Streams the current state first, then a bookmark annotated `k8s.io/initial-events-end` (WatchList). */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the stream after this many seconds. @defaultValue the server's choice, 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** Options for `waitForDeletion`. */
export interface WaitForDeletionOptions extends CallOptions {
  /** UID of the object whose deletion to wait for. A new object with the same name does not prolong the wait. */
  readonly uid?: string | undefined;
}

/** Options shared by all writes. */
export interface WriteOptions extends CallOptions {
  /** Processes the write without storing the result. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /**
   * Owner of the written fields. @defaultValue the client's `fieldManager`, or else the server derives it from the user
   * agent
   */
  readonly fieldManager?: string | undefined;
  /** Handling of unknown and duplicate fields. @defaultValue the server's default, `Warn` */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

/**
 * Options for `apply`. `fieldManager` must be set in these options or on the client.
 *
 * @example
 * ```ts
 * const options: ApplyOptions = { fieldManager: 'backup', force: true };
 * ```
 */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields owned by other managers, instead of failing with a conflict. @defaultValue false */
  readonly force?: boolean | undefined;
}

/**
 * Options for `delete`. Sent in the body, as in client-go.
 *
 * @example
 * ```ts
 * const options: DeleteOptions = { propagationPolicy: 'Foreground' };
 * ```
 */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** Seconds for graceful termination; 0 deletes immediately. @defaultValue the kind's grace period */
  readonly gracePeriodSeconds?: number | undefined;
  /** Deletes only an object with this UID or version. */
  readonly preconditions?: Preconditions | undefined;
  /** Handling of the object's dependents. @defaultValue the kind's default, usually `Background` */
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** Conditions that must hold for a delete; a mismatch is a conflict. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Options for `deleteCollection`. */
export interface DeleteCollectionOptions extends DeleteOptions, CollectionScope {
  readonly limit?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly timeoutSeconds?: number | undefined;
}
