import type { KubernetesObject, Status, StatusError } from '@kubewright/apimachinery';

/** One event of a watch, as it came over the wire. */
export type WatchEvent<T> = ObjectEvent<T> | BookmarkEvent | ErrorEvent;

/** An object appeared, changed, or went; DELETED carries its last state. */
export interface ObjectEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** Nothing changed, but the stream has got so far: only `metadata.resourceVersion` and annotations are filled. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly object: KubernetesObject;
}

/** The server gave up this watch; nothing follows. 410 `Expired` means: list again. */
export interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: Status;
  /** The same as an error, ready to be thrown. */
  readonly error: StatusError;
}
