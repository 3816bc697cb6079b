import type { KubernetesObject } from '@kubewright/apimachinery';

/** A human-readable note about something that happened to an object (`kubectl describe`, `kubectl events`). */
export interface EventNote {
  /** @defaultValue 'Normal' */
  readonly type?: 'Normal' | 'Warning';
  /** The reason in one CamelCase word: `Created`, `BackOff`. At most 128 characters. */
  readonly reason: string;
  /** The action taken or attempted, in one CamelCase word. @defaultValue the reason */
  readonly action?: string;
  /** Human-readable text; cut to 1,024 bytes. */
  readonly note: string;
  /** The object the event is about. Required outside an object's reconcile. @defaultValue the reconciled object */
  readonly regarding?: KubernetesObject;
  readonly related?: KubernetesObject;
  /**
   * String that separates events: events with different strings are counted in separate series. A kubelet passes the
   * note, so that events with different notes stay separate.
   * @defaultValue events with the same reason and action about the same object form one series, regardless of their notes
   */
  readonly series?: string;
  /**
   * Time of the event, in milliseconds since 1970. `kubectl describe` sorts by this time, so set it if the event is
   * recorded later than its effects.
   * @defaultValue now
   */
  readonly atMs?: number;
}

/**
 * Writes events.k8s.io/v1 events. Never waits and never fails a reconcile: equal events are merged into a series, events are
 * dropped if the queue is full, and write failures are logged.
 *
 * @example
 * ```ts
 * function reportBackup(events: EventRecorder, error?: Error): void {
 *   if (error) events.record({ type: 'Warning', reason: 'BackupFailed', note: error.message });
 *   else events.record({ reason: 'BackupDone', note: 'the backup was uploaded' });
 * }
 * ```
 */
export interface EventRecorder {
  record(event: EventNote): void;
}
