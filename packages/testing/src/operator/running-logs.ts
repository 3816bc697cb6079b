/** The log lines of an operator under test. */
export interface RunningLog {
  readonly lines: readonly string[];
}

/**
 * The logs of the operators that run in this process. A read does not know about operators, so a time-out error finds their logs
 * here.
 */
export const runningLogs: Set<RunningLog> = new Set();
