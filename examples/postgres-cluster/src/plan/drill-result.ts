import type { DrillResult } from '../api/v1/postgres-backup-schedule.ts';

/** The outcome of a drill's pod. */
export interface EndedDrill {
  /** Termination message of the container; undefined if the pod was lost. */
  readonly message?: string | undefined;
  /** Why the Job failed. */
  readonly failure?: string | undefined;
  readonly finishedAt: string;
}

/** Returns the result of a drill that has ended. A drill that left no result has failed. */
export function drillResult({ message = '', failure, finishedAt }: EndedDrill): DrillResult {
  const found = parse(message);
  if (found) return found;
  const why = message.trim() || failure || 'the pod was lost';
  return { backup: '', finishedAt, succeeded: false, message: `the drill ended without a result: ${why}` };
}

function parse(message: string): DrillResult | undefined {
  try {
    const found = JSON.parse(message) as Partial<DrillResult>;
    const isResult = typeof found.succeeded === 'boolean' && typeof found.backup === 'string';
    return isResult ? (found as DrillResult) : undefined;
  } catch {
    // Not JSON: the container failed, so the message is the end of its log.
    return undefined;
  }
}
