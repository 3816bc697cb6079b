import type { KubernetesObject } from '@kubewright/apimachinery';

/** What happened to an object, for people (`kubectl describe`, `kubectl events`). */
export interface EventNote {
  /** @defaultValue 'Normal' */
  readonly type?: 'Normal' | 'Warning';
  /** Why, in one CamelCase word: `Created`, `BackOff`. At most 128 characters. */
  readonly reason: string;
  /** What the controller did or tried, in one CamelCase word. @defaultValue the reason */
  readonly action?: string;
  /** For people; cut to 1,024 bytes. */
  readonly note: string;
  /** What the event is about. Needed where no object is reconciled. @defaultValue the object that is reconciled */
  readonly regarding?: KubernetesObject;
  readonly related?: KubernetesObject;
  /**
   * Text that distinguishes events: those that differ in it are not counted in one series. A kubelet passes the note, so
   * that events with different notes stay separate.
   *
   * @defaultValue events of one reason and action about one object are one series, whatever their notes
   */
  readonly series?: string;
}

/**
 * Writes events.k8s.io/v1 events. Never waits and never fails a reconcile: equal events become one series, a full queue
 * drops, what cannot be written is logged.
 */
export interface EventRecorder {
  record(event: EventNote): void;
}
