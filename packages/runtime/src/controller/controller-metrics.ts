/** How a reconcile ended, in the words of the `result` label. */
export type ReconcileResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What a controller tells of its work; controller-runtime's metrics are made from it. */
export interface ControllerMetrics {
  reconciled(result: ReconcileResultLabel, seconds: number): void;
  failed(how: 'error' | 'terminal' | 'timeout' | 'panic'): void;
  activeWorkers(delta: number): void;
  /** Counts writes that lead nowhere: brought about by the write before, changing nothing, undone by another writer. */
  futile(what: 'self-triggered' | 'no-op' | 'conflict'): void;
}
