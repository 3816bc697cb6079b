import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** Reconciles, or performs the stages that are left. */
export type Step = (run: ReconcileRun) => Promise<ReconcileOutcome>;

/** A stage of a reconcile: does its part before and after the next step. */
export type Stage = (next: Step) => Step;
