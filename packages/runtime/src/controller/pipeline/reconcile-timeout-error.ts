import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when a reconcile exceeds its time limit. */
export class ReconcileTimeoutError extends KubewrightError {
  override readonly name = 'ReconcileTimeoutError';
  /** The runtime retries the key with back-off. */
  readonly code = 'KW3005';

  constructor(reconcile: string, options: { readonly timeoutMs: number; readonly settled: boolean }) {
    const { timeoutMs, settled } = options;
    super(
      settled
        ? {
            what: `${reconcile} was aborted`,
            why: `it took longer than ${timeoutMs} ms`,
            remedy: 'pass ctx.signal to everything it waits for, or raise reconcileTimeoutMs',
          }
        : {
            what: `${reconcile} was abandoned`,
            why: `it took longer than ${timeoutMs} ms and ignored its signal; it may still run, but can no longer write through its context`,
            remedy: 'pass ctx.signal to everything it waits for',
          },
    );
  }
}
