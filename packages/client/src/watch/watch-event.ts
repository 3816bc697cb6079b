import type { KubernetesObject, Status, StatusError } from '@kubewright/apimachinery';

/**
 * One event of a watch, as received over the wire.
 *
 * @example
 * ```ts
 * function nameOf(event: WatchEvent<Pod>): string | undefined {
 *   return event.type === 'ADDED' ? event.object.metadata.name : undefined;
 * }
 * ```
 */
export type WatchEvent<T> = ObjectWatchEvent<T> | BookmarkEvent | ErrorEvent;

/** An object was added, changed or deleted; a DELETED event carries the object's last state. */
export interface ObjectWatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** The stream has reached this version without a change; only `metadata.resourceVersion` and annotations are set. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly object: KubernetesObject;
}

/** The server ended the watch with an error; nothing follows. After a 410 `Expired`, list again. */
export interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: Status;
  /** The error as an exception, ready to throw. */
  readonly error: StatusError;
}
