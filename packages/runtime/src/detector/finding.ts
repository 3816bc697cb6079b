import type { KubernetesObject } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { ControllerMetrics } from '../metrics/runtime-metrics.ts';
import type { ReconcileEvents } from '../recorder/reconcile-events.ts';

/** A pattern of futile writes. */
export interface Finding {
  /**
   * `hot-loop`: the controller's own writes keep triggering it; `conflict`: another writer undoes its writes; `no-op`:
   * the controller writes values that are already set.
   */
  readonly pattern: 'hot-loop' | 'conflict' | 'no-op';
  /** `Kind namespace/name` of the written object. */
  readonly object: string;
  /** The path of the changing values, such as `.status.conditions[type=Ready].lastTransitionTime`. */
  readonly path: string;
  /** The other writers of the path, such as `kubectl-edit (Update)`. */
  readonly managers: readonly string[];
  readonly times: number;
}

/**
 * Log code of a pattern of futile writes; `kubewright explain` describes it.
 *
 * | code | meaning |
 * |---|---|
 * | `KW3050` | hot loop: a reconcile triggers itself by writing a different value each time; derive the value only from the observed state |
 * | `KW3051` | another writer undoes this controller's writes; let only one of the two writers own the field |
 * | `KW3052` | a controller keeps writing values that are already set, because the server drops or changes a written value |
 */
export type FindingCode = 'KW3050' | 'KW3051' | 'KW3052';

const codes: Readonly<Record<Finding['pattern'], FindingCode>> = {
  'hot-loop': 'KW3050',
  conflict: 'KW3051',
  'no-op': 'KW3052',
};
const reasons = { 'hot-loop': 'HotLoop', conflict: 'FieldConflict', 'no-op': 'NoOpWrites' } as const;

/**
 * Reports a finding as a log line and a Warning event. The event is about the reconciled object, or about the written object for
 * request controllers.
 */
export function reportFinding(
  { finding, written }: { readonly finding: Finding; readonly written: KubernetesObject },
  to: { readonly log: Logger; readonly events: ReconcileEvents },
): void {
  const { pattern, object, path, managers, times } = finding;
  to.log.warn(adviceFor(pattern), {
    event: logEvents.writesFutile,
    code: codes[pattern],
    object,
    path,
    ...(managers.length > 0 && { managers }),
    times,
  });
  to.events.record({
    type: 'Warning',
    reason: reasons[pattern],
    action: 'Reconcile',
    note: noteFor(finding),
    regarding: to.events.object ?? written,
  });
}

/** The metric label of a pattern. */
export type FutileWrite = Parameters<ControllerMetrics['futile']>[0];

function adviceFor(pattern: Finding['pattern']): string {
  if (pattern === 'hot-loop') {
    return 'this reconcile triggers itself: it writes a different value each time; derive the value only from the observed state';
  }
  if (pattern === 'conflict')
    return 'another writer reverts the writes of this controller; let only one of the two writers own the field';
  return 'this controller repeats a write that has no effect, because the API server drops or changes a value; write the value that the server stores';
}

function noteFor({ pattern, object, path, managers, times }: Finding): string {
  const others = managers.length > 0 ? managers.join(', ') : 'unknown';
  if (pattern === 'hot-loop')
    return `${object}: this controller changed ${path} ${times} times, each time because of its previous write`;
  if (pattern === 'conflict') return `${object}: ${path} was reset ${times} times; other writers: ${others}`;
  return `${object}: ${times} writes in a row changed nothing; the API server does not store ${path} as sent`;
}
