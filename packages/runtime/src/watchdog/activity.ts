/** A running reconcile, as seen by the watchdog. */
export interface ActivityMark {
  /** Records that this reconcile runs again after a wait. */
  readonly resumed: () => void;
  /** Records that the reconcile has ended. */
  readonly ended: () => void;
}

/** Tracks which reconcile ran last, so that the reconcile blocking the event loop can be named. */
export interface Activity {
  mark(controller: string, key: string): ActivityMark;
}
