/** The log lines of an operator under test. */
export interface RunningLog {
  readonly lines: readonly string[];
}

/**
 * The logs of the operators that run in this process. A time-out error finds them here, because `eventually` gets no reference to
 * the operators.
 */
export const runningLogs: Set<RunningLog> = new Set();
