/** A reconcile that is running, as the watchdog knows it. */
export interface ActivityMark {
  /** Says that this reconcile runs again after a wait. */
  readonly resumed: () => void;
  /** Says that it is over. */
  readonly ended: () => void;
}

/** Knows which reconcile ran last, so that whoever holds the event loop can be named. */
export interface Activity {
  mark(controller: string, key: string): ActivityMark;
}

/** An {@link Activity} that nobody watches. */
export const noActivity: Activity = {
  mark: () => ({ resumed() {}, ended() {} }),
};
