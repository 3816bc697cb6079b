/** The outcome of a reconcile, as the `result` label of metrics. */
export type ReconcileResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

/** Metrics of a controller; exported as controller-runtime's metrics. */
export interface ControllerMetrics {
  reconciled(result: ReconcileResultLabel, seconds: number): void;
  failed(how: 'error' | 'terminal' | 'timeout' | 'panic'): void;
  activeWorkers(delta: number): void;
  /** Counts futile writes: triggered by the controller's own write, changing nothing, or undone by another writer. */
  futile(what: 'self-triggered' | 'no-op' | 'conflict'): void;
}
