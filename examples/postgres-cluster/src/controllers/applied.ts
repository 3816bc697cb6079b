import type { ConditionUpdate } from '@kubewright/apimachinery';

/**
 * Time until the next comparison of PostgreSQL with the object: soon after a failure, otherwise periodically, to detect manual
 * changes.
 */
const retryMs = { obstacle: 5_000, applied: 60_000 };

/** The outcome of applying an object to PostgreSQL. */
export interface Applied {
  readonly status: { readonly applied: boolean; readonly message?: string };
  readonly conditions: readonly ConditionUpdate[];
  readonly requeueAfterMs: number;
}

/**
 * Calls `apply`, and returns the resulting status and conditions. An error, or the reason that `apply` returns, becomes the
 * message.
 */
export async function applied(apply: () => Promise<string | undefined>): Promise<Applied> {
  const message = await apply().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (message === undefined) {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Applied' }] as const;
    return { status: { applied: true }, conditions, requeueAfterMs: retryMs.applied };
  }
  return {
    status: { applied: false, message },
    conditions: [{ type: 'Ready', status: 'False', reason: 'NotApplied', message }],
    requeueAfterMs: retryMs.obstacle,
  };
}
