import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { ClientCall, KubernetesClient } from '@kubewright/client';
import { SmallSet } from '../../collection/small-set.ts';
import { type Finding, reportFinding } from '../../detector/finding.ts';
import type { WriteSession } from '../../detector/write-session.ts';
import type { ReconcileRequest } from '../../handler/event-handler.ts';
import type { Logger } from '../../log/logger.ts';
import type { ContextRun } from '../../reconcile/context.ts';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import type { EventRecorder } from '../../recorder/event-recorder.ts';
import { ReconcileEvents } from '../../recorder/reconcile-events.ts';
import type { ActivityMark } from '../../watchdog/activity.ts';
import type { WorkItem } from '../../workqueue/work-queue.ts';
import type { PartitionEntry } from '../definition/partition.ts';
import type { ReconcileSummary } from '../reports/reconcile-summaries.ts';
import { ReconcileLifetime } from './reconcile-lifetime.ts';

/** Parts shared by the reconciles of one controller. */
export interface ReconcileRunParts {
  readonly controller: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** The manager's client. */
  readonly client: KubernetesClient;
  readonly primary: Kind<KubernetesObject> | undefined;
  readonly recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder;
  /** Creates the client of a reconcile, with guarded writes. */
  readonly guarded: (run: ReconcileRun) => KubernetesClient;
  /** Requests another reconcile of a key once an object is removed. */
  readonly awaitEnd: (key: string, objectId: string) => void;
}

/**
 * The schedule of reports about a slow reconcile: the time of the next report, and the interval until the report after
 * it.
 */
export interface SlowReports {
  dueMs: number;
  intervalMs: number;
}

/**
 * One reconcile on its way through the pipeline. Stages pass it on and record data in it for later stages. Parts that
 * most reconciles do not need are created on first use.
 */
export class ReconcileRun implements ContextRun {
  readonly key: string;
  readonly priority: number;
  readonly request: ReconcileRequest;
  /** By the monotonic clock. */
  readonly startMs: number;
  readonly lifetime: ReconcileLifetime;
  readonly events: ReconcileEvents;
  /** Summarizes the reconcile for debugging. */
  readonly summary: ReconcileSummary | undefined;
  /** The client whose calls are traced, if the manager traces. */
  tracedClient: KubernetesClient | undefined;
  /** The reconcile's entry in the partition, if replicas share the keys. */
  entry: PartitionEntry | undefined;
  writes: WriteSession | undefined;
  mark: ActivityMark | undefined;
  /** Set once the reconcile has been reported as slow. */
  slow: SlowReports | undefined;
  /** Delay until the next run of the key, once known. */
  nextMs: number | undefined;
  readonly #parts: ReconcileRunParts;
  #reconcileID: string | undefined;
  #log: Logger | undefined;
  #client: KubernetesClient | undefined;
  #calls: SmallSet<ClientCall> | undefined;

  constructor(
    item: WorkItem,
    options: { parts: ReconcileRunParts; request: ObjectKey; summary: ReconcileSummary | undefined },
  ) {
    const { parts, request, summary } = options;
    this.key = item.key;
    this.priority = item.priority;
    this.request = request;
    this.startMs = parts.clock.monotonic();
    this.summary = summary;
    this.events = new ReconcileEvents(parts.recorderOf);
    this.lifetime = new ReconcileLifetime(this);
    this.#parts = parts;
  }

  /** Names the reconcile in errors. */
  get name(): string {
    return `reconcile of ${this.#parts.controller} ${this.key}`;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get signal(): AbortSignal {
    return this.lifetime.signal;
  }

  /** Unique per reconcile. */
  get reconcileID(): string {
    this.#reconcileID ??= this.#parts.random.uid();
    return this.#reconcileID;
  }

  get log(): Logger {
    this.#log ??= this.#parts.log.with(this.#logFields());
    return this.#log;
  }

  /** The client without its guards. */
  get unguarded(): KubernetesClient {
    return this.tracedClient ?? this.#parts.client;
  }

  get client(): KubernetesClient {
    this.#client ??= this.#parts.guarded(this);
    return this.#client;
  }

  /** The API calls that the reconcile waits for. */
  get calls(): SmallSet<ClientCall> {
    this.#calls ??= new SmallSet();
    return this.#calls;
  }

  resumed(): void {
    this.mark?.resumed();
  }

  intends(object: KubernetesObject): void {
    this.writes?.intends(object);
  }

  awaitEnd(objectId: string): void {
    this.#parts.awaitEnd(this.key, objectId);
  }

  /** Reports futile writes of this reconcile. */
  report(finding: Finding, written: KubernetesObject): void {
    reportFinding({ finding, written }, this);
  }

  #logFields(): Record<string, unknown> {
    const { namespace = '', name } = this.request;
    const { primary } = this.#parts;
    return {
      ...(primary && { [primary.kind]: { name, namespace } }),
      namespace,
      name,
      reconcileID: this.reconcileID,
    };
  }
}

/** Runs the remaining stages, including the reconcile. */
export type Step = (run: ReconcileRun) => Promise<ReconcileOutcome>;

/** A stage of a reconcile; runs code before and after the next step. */
export type Stage = (next: Step) => Step;
