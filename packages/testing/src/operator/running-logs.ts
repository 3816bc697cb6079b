/** The log lines of an operator under test. */
export interface RunningLog {
  readonly lines: readonly string[];
}

/**
 * The logs of the operators that run in this process. A read knows nothing of operators, so this is how the error of a time-out
 * finds what they logged.
 */
export const runningLogs: Set<RunningLog> = new Set();
