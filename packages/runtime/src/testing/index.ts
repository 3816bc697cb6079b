export {
  type ReconcileOnceOptions,
  type ReconcileReport,
  type RecordedWrite,
  reconcileOnce,
} from './reconcile-once.ts';
