import type { ConditionUpdate } from '@kubewright/apimachinery';

/** Time until PostgreSQL is compared again with the object: after a failure, and to detect manual changes. */
const againMs = { obstacle: 5_000, applied: 60_000 };

/** The outcome of a reconcile: nothing if PostgreSQL matches the object, otherwise the reason why it does not. */
export interface Applied {
  readonly status: { readonly applied: boolean; readonly message?: string };
  readonly conditions: readonly ConditionUpdate[];
  readonly requeueAfterMs: number;
}

/** Runs statements, and returns status and conditions. PostgreSQL's error becomes the message. */
export async function applied(apply: () => Promise<string | undefined>): Promise<Applied> {
  const message = await apply().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (message === undefined) {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Applied' }] as const;
    return { status: { applied: true }, conditions, requeueAfterMs: againMs.applied };
  }
  return {
    status: { applied: false, message },
    conditions: [{ type: 'Ready', status: 'False', reason: 'NotApplied', message }],
    requeueAfterMs: againMs.obstacle,
  };
}
