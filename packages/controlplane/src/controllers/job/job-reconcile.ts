import { isDeleting, isNotFound, LabelSelector, type Stored } from '@kubewright/apimachinery';
import { Job, type JobStatus } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime, sameJson } from '@kubewright/apimachinery/internal';
import type { ReconcileOutcome, RequestContext } from '@kubewright/runtime';
import { claim } from '../claim.ts';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { nonZero } from '../non-zero.ts';
import { patchObject, updateStatus } from '../object-writes.ts';
import { orphansOf } from '../orphan-owners.ts';
import { isNamespaceTerminating, type PodControl } from '../pods/pod-control.ts';
import { isPodEnded } from '../pods/pod-state.ts';
import { slowStart } from '../slow-start.ts';
import type { FailureBackoff } from './failure-backoff.ts';
import { type JobOutcome, pendingOutcome, withOutcome, withSuspension } from './job-conditions.ts';
import { countJob, type JobCounts } from './job-counts.ts';
import { failureOutcome, msUntilDeadline, successOutcome } from './job-outcome.ts';
import { planPods } from './job-plan.ts';
import { endedMs, isIndexed, jobPod, trackingFinalizer } from './job-pods.ts';
import { countEnded, countedBy, moveCounted } from './uncounted-pods.ts';

/** Dependencies of a job's reconcile. */
export interface JobParts {
  readonly ctx: RequestContext;
  readonly events: CoreEventRecorder;
  readonly control: PodControl;
  readonly backoff: FailureBackoff;
}

/** One reconcile of an unfinished job. */
export class JobReconcile {
  readonly #parts: JobParts;
  /** The job as of the last write of this reconcile. */
  #job: Stored<Job>;
  #pauseMs: number | undefined;

  constructor(job: Stored<Job>, parts: JobParts) {
    this.#job = job;
    this.#parts = parts;
  }

  async run(): Promise<ReconcileOutcome> {
    const { ctx, backoff } = this.#parts;
    const nowMs = ctx.clock.now();
    const started = this.#withStart(nowMs);
    const pods = await this.#claimed();
    const now = countJob(started, pods);
    this.#noteFailures(now);
    const settled = pendingOutcome(started) ?? failureOutcome(started, { pods, counts: now, nowMs });
    const failure = await this.#manage(now, { verdict: settled ?? successOutcome(started, now) });
    await this.#report(started, settled);
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
    const { uid } = this.#job.metadata;
    const waits = [this.#pauseMs ?? backoff.remainingMs(uid, nowMs), msUntilDeadline(this.#job, nowMs) ?? 0];
    const left = waits.filter((ms) => ms > 0);
    return left.length === 0 || pendingOutcome(this.#job) ? undefined : { requeueAfterMs: Math.min(...left) + 1 };
  }

  #withStart(nowMs: number): Job {
    const job = this.#job;
    if (job.status?.startTime || job.spec?.suspend) return job;
    return { ...job, status: { ...job.status, startTime: formatTime(nowMs) } };
  }

  async #claimed(): Promise<readonly Stored<Pod>[]> {
    const owner = this.#job;
    const { uid, namespace } = owner.metadata;
    const lister = this.#parts.ctx.cache.lister(Pod);
    const of = (value: string) => lister.list({ index: { name: 'controller', value } });
    return claim(this.#parts.ctx, {
      owner,
      ownerKind: Job,
      kind: Pod,
      selector: LabelSelector.ofObject(owner.spec?.selector),
      candidates: [...of(uid), ...of(orphansOf(namespace))],
      finalizers: [trackingFinalizer],
    });
  }

  #noteFailures({ newSucceeded, newFailed }: JobCounts): void {
    const ended = [...newSucceeded, ...newFailed].map((pod) => ({
      uid: pod.metadata.uid,
      succeeded: pod.status?.phase === 'Succeeded',
      atMs: endedMs(pod) ?? this.#parts.ctx.clock.now(),
    }));
    this.#parts.backoff.note(this.#job.metadata.uid, ended);
  }

  /** Creates and deletes pods. Returns the first error, if any. */
  async #manage(now: JobCounts, { verdict }: { readonly verdict: JobOutcome | undefined }): Promise<unknown> {
    const { ctx, control, backoff } = this.#parts;
    const job = this.#job;
    if (isDeleting(job)) return undefined;
    const plan = planPods(job, { counts: now, ended: verdict !== undefined, nowMs: ctx.clock.now() });
    const deletions = await Promise.allSettled(
      plan.remove.map(async (pod) => {
        // Unless the job has failed, the pod is only surplus. Release it first, so that it does not count as a failure.
        const released = verdict?.outcome === 'Failed' ? pod : await releasePod(ctx, pod);
        if (released) await control.delete(ctx, { pod: released, owner: job });
      }),
    );
    const rejected = deletions.find((result) => result.status === 'rejected');
    if (rejected) return rejected.reason;
    if (plan.create.length === 0) return undefined;
    this.#pauseMs = backoff.remainingMs(job.metadata.uid, ctx.clock.now());
    if (this.#pauseMs > 0) return undefined;
    const { error } = await slowStart(plan.create.length, async (at) => {
      const { index, failures } = plan.create[at] ?? {};
      await control.create(ctx, { pod: jobPod(job, { index, failures }), owner: job });
    });
    return error;
  }

  /** Counts finished pods, writes the job's status, and releases the counted pods. */
  async #report(started: Job, settled: JobOutcome | undefined): Promise<void> {
    const { ctx } = this.#parts;
    const nowMs = ctx.clock.now();
    const pods = this.#own();
    const present = countJob(started, pods);
    this.#noteFailures(present);
    const verdict = settled ?? successOutcome(started, present);
    const counts = {
      ...nonZero('active', present.active.length),
      ready: present.ready,
      terminating: present.terminating.length,
    };
    const { active: _active, ...rest } = started.status ?? {};
    const counted = countEnded(started, { ...rest, ...counts }, present);
    const suspended = withSuspension(counted.conditions ?? [], { suspended: started.spec?.suspend ?? false, nowMs });
    const resumed = suspended !== counted.conditions && suspended.length > 0 && !started.spec?.suspend;
    if (suspended.length > 0 && suspended !== counted.conditions) this.#noteSuspension();
    const conditions = verdict ? withOutcome(suspended, { verdict, final: false, nowMs }) : suspended;
    // Time spent suspended does not count against the deadline, so reset the start time on resume.
    const { startTime: before, ...status } = counted;
    const startTime = resumed ? formatTime(nowMs) : started.spec?.suspend ? undefined : before;
    await this.#write({
      ...status,
      ...defined({ startTime }),
      ...(conditions.length > 0 && { conditions }),
    });
    await this.#release(pods, verdict);
    await this.#finish(verdict, present);
  }

  /** Adds released pods to the status counts. Finishes the job if it has an outcome and all its pods have ended. */
  async #finish(verdict: JobOutcome | undefined, { succeededIndexes, failedIndexes }: JobCounts): Promise<void> {
    const { ctx, events, backoff } = this.#parts;
    const nowMs = ctx.clock.now();
    const pods = this.#own();
    const status = moveCounted(this.#job, pods);
    const final = verdict !== undefined && pods.every(isPodEnded);
    if (!final) return this.#write(status);
    const conditions = withOutcome(status.conditions ?? [], { verdict, final, nowMs });
    const complete = verdict.outcome === 'Complete';
    const indexed = isIndexed(this.#job) && this.#job.spec?.backoffLimitPerIndex !== undefined;
    const { active: _active, ...rest } = status;
    await this.#write({
      ...rest,
      ready: 0,
      terminating: 0,
      conditions,
      ...(complete && { completionTime: formatTime(nowMs) }),
      ...(isIndexed(this.#job) && succeededIndexes.size > 0 && { completedIndexes: succeededIndexes.toString() }),
      ...(indexed && { failedIndexes: failedIndexes.toString() }),
    });
    backoff.forget(this.#job.metadata.uid);
    const { reason, message } = verdict;
    if (complete) events.record(ctx, { about: this.#job, reason: 'Completed', message: 'Job completed' });
    else events.record(ctx, { about: this.#job, type: 'Warning', reason, message });
  }

  #noteSuspension(): void {
    const { ctx, events } = this.#parts;
    const suspend = this.#job.spec?.suspend ?? false;
    const reason = suspend ? 'Suspended' : 'Resumed';
    events.record(ctx, { about: this.#job, reason, message: suspend ? 'Job suspended' : 'Job resumed' });
  }

  /**
   * Removes the tracking finalizer from pods that the status has counted. If the job has an outcome or is being deleted, removes
   * it from all ended or terminating pods.
   */
  async #release(pods: readonly Stored<Pod>[], verdict: JobOutcome | undefined): Promise<void> {
    const all = verdict !== undefined || isDeleting(this.#job);
    const isCounted = countedBy(this.#job);
    const done = pods.filter(
      (pod) =>
        pod.metadata.finalizers?.includes(trackingFinalizer) &&
        (all ? isPodEnded(pod) || isDeleting(pod) : isCounted(pod)),
    );
    await Promise.all(done.map((pod) => releasePod(this.#parts.ctx, pod)));
  }

  #own(): readonly Stored<Pod>[] {
    const value = this.#job.metadata.uid;
    return this.#parts.ctx.cache.lister(Pod).list({ index: { name: 'controller', value } });
  }

  async #write(status: JobStatus): Promise<void> {
    if (sameJson(this.#job.status ?? {}, status)) return;
    try {
      this.#job = await updateStatus(this.#parts.ctx, { kind: Job, object: { ...this.#job, status } });
    } catch (error) {
      // The job was deleted in the meantime. Its status is no longer needed, but its pods must still be released.
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Removes the tracking finalizer from a pod. Returns the updated pod, or undefined if it no longer exists. */
export async function releasePod(ctx: RequestContext, pod: Stored<Pod>): Promise<Stored<Pod> | undefined> {
  const body = { metadata: { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
  try {
    return await patchObject(ctx, { kind: Pod, object: pod, patch: { type: 'strategic', body } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    ctx.cache.noteDeletion(Pod, {
      key: { namespace: pod.metadata.namespace, name: pod.metadata.name },
      uid: pod.metadata.uid,
    });
    return undefined;
  }
}
