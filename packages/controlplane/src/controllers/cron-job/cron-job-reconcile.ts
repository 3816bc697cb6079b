import {
  isAlreadyExists,
  isControlledBy,
  isDeleting,
  isNotFound,
  objectKey,
  type Stored,
} from '@kubewright/apimachinery';
import { CronJob, type CronJobStatus, Job } from '@kubewright/apimachinery/batch/v1';
import { formatTime, sameJson } from '@kubewright/apimachinery/internal';
import type { ReconcileOutcome, RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject, deleteObject, updateStatus } from '../object-writes.ts';
import { isNamespaceTerminating, messageOf } from '../pods/pod-control.ts';
import { type CronJobNote, observeJobs, referenceTo, surplusJobs, withActive } from './active-jobs.ts';
import { type CronSchedule, parseSchedule } from './cron-schedule.ts';
import { lastDue, msUntilNext, type ScheduleInput } from './schedule-times.ts';
import { jobNameAt, scheduledJob } from './scheduled-job.ts';
import { TimeZone } from './zoned-time.ts';

/** Dependencies of a cron job's reconcile. */
export interface CronJobParts {
  readonly ctx: RequestContext;
  readonly events: CoreEventRecorder;
  /** The schedule that each cron job was last reconciled with, by uid. */
  readonly schedules: Map<string, string>;
}

/** One reconcile of a cron job. */
export class CronJobReconcile {
  readonly #cronJob: Stored<CronJob>;
  readonly #parts: CronJobParts;
  #status: CronJobStatus;

  constructor(cronJob: Stored<CronJob>, parts: CronJobParts) {
    this.#cronJob = cronJob;
    this.#parts = parts;
    this.#status = cronJob.status ?? {};
  }

  async run(): Promise<ReconcileOutcome> {
    const { ctx } = this.#parts;
    const { namespace, name } = this.#cronJob.metadata;
    const jobs = ctx.cache.lister(Job).list({ index: { name: 'cronJob', value: `${namespace}/${name}` } });
    for (const job of surplusJobs(this.#cronJob, jobs)) await this.#delete(job);
    let failure: { readonly error: unknown } | undefined;
    let afterMs: number | undefined;
    try {
      await this.#observe(jobs);
      if (!isDeleting(this.#cronJob)) afterMs = await this.#schedule();
    } catch (error) {
      // Rethrow the error only after the status is written.
      failure = { error };
    }
    if (!sameJson(this.#status, this.#cronJob.status ?? {})) {
      await updateStatus(ctx, { kind: CronJob, object: { ...this.#cronJob, status: this.#status } });
    }
    if (failure) throw failure.error;
    return afterMs === undefined ? undefined : { requeueAfterMs: Math.max(1, afterMs) };
  }

  async #observe(jobs: readonly Job[]): Promise<void> {
    const { ctx } = this.#parts;
    const { status, notes, unseen } = observeJobs({ ...this.#cronJob, status: this.#status }, jobs);
    this.#status = status;
    for (const note of notes) this.#note(note);
    for (const { namespace = '', name = '', uid } of unseen) {
      try {
        await ctx.client.resource(Job).get({ namespace, name }, { signal: ctx.signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        this.#note({ reason: 'MissingJob', message: `Active job went missing: ${name}` });
        this.#forget(uid);
      }
    }
  }

  /**
   * Starts a job if one is due. Returns the time until the next scheduled time in milliseconds, or undefined if the schedule has
   * no further times.
   */
  async #schedule(): Promise<number | undefined> {
    const { spec } = this.#cronJob;
    if (!spec || !this.#isZoneKnown() || spec.suspend) return undefined;
    const schedule = this.#parsed();
    if (!schedule) return undefined;
    const input = this.#input(schedule);
    // A new schedule applies from now on: its earlier times are skipped.
    const due = this.#isScheduleNew() ? undefined : this.#due(input);
    if (due === 'never') return undefined;
    if (due !== undefined && this.#mayStart(due)) {
      if (spec.concurrencyPolicy === 'Replace') await this.#deleteActive();
      if (!(await this.#start(due))) return undefined;
    }
    return msUntilNext(this.#input(schedule));
  }

  #input(schedule: CronSchedule): ScheduleInput {
    const { creationTimestamp } = this.#cronJob.metadata;
    const { startingDeadlineSeconds } = this.#cronJob.spec ?? {};
    return {
      schedule,
      sinceMs: Date.parse(this.#status.lastScheduleTime ?? creationTimestamp ?? ''),
      startingDeadlineMs: startingDeadlineSeconds === undefined ? undefined : Number(startingDeadlineSeconds) * 1000,
      nowMs: this.#parts.ctx.clock.now(),
    };
  }

  #isZoneKnown(): boolean {
    const { timeZone } = this.#cronJob.spec ?? {};
    if (timeZone === undefined) return true;
    try {
      new TimeZone(timeZone);
      return true;
    } catch (error) {
      const message = `invalid timeZone: ${JSON.stringify(timeZone)}: ${messageOf(error)}`;
      this.#note({ type: 'Warning', reason: 'UnknownTimeZone', message });
      return false;
    }
  }

  #parsed(): CronSchedule | undefined {
    const { schedule = '', timeZone } = this.#cronJob.spec ?? {};
    const hasZone = schedule.includes('TZ');
    if (hasZone) {
      const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
      this.#note({ type: 'Warning', reason: 'UnsupportedSchedule', message });
    }
    try {
      return parseSchedule(hasZone || timeZone === undefined ? schedule : `TZ=${timeZone} ${schedule}`);
    } catch (error) {
      const message = `unparseable schedule: ${JSON.stringify(schedule)} : ${messageOf(error)}`;
      this.#note({ type: 'Warning', reason: 'UnparseableSchedule', message });
      return undefined;
    }
  }

  #isScheduleNew(): boolean {
    const { uid } = this.#cronJob.metadata;
    const { schedule, timeZone } = this.#cronJob.spec ?? {};
    const text = JSON.stringify([schedule, timeZone]);
    const before = this.#parts.schedules.get(uid);
    this.#parts.schedules.set(uid, text);
    return before !== undefined && before !== text;
  }

  /** Returns the scheduled time that is due, undefined if none is due, or `never` if the schedule never matches. */
  #due(input: ScheduleInput): number | undefined | 'never' {
    try {
      const { dueMs, missed } = lastDue(input);
      if (dueMs === undefined || missed !== 'many') return dueMs;
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#note({ type: 'Warning', reason: 'TooManyMissedTimes', message });
      return dueMs;
    } catch (error) {
      const { schedule } = this.#cronJob.spec ?? {};
      const message = `invalid schedule: ${schedule} : ${messageOf(error)}`;
      this.#note({ type: 'Warning', reason: 'InvalidSchedule', message });
      return 'never';
    }
  }

  /** True unless the due job has missed its deadline, was already started, or may not run concurrently. */
  #mayStart(dueMs: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec ?? {};
    const nowMs = this.#parts.ctx.clock.now();
    if (startingDeadlineSeconds !== undefined && dueMs + Number(startingDeadlineSeconds) * 1000 < nowMs) {
      const message = `Missed scheduled time to start a job: ${new Date(dueMs).toUTCString().replace('GMT', '+0000')}`;
      this.#note({ type: 'Warning', reason: 'MissSchedule', message });
      return false;
    }
    const { active = [], lastScheduleTime } = this.#status;
    const name = jobNameAt(this.#cronJob, dueMs);
    if (lastScheduleTime === formatTime(dueMs) || active.some((job) => job.name === name)) return false;
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#note({ reason: 'JobAlreadyActive', message });
      return false;
    }
    return true;
  }

  async #deleteActive(): Promise<void> {
    const { ctx } = this.#parts;
    for (const { namespace = '', name = '' } of this.#status.active ?? []) {
      let job: Stored<Job>;
      try {
        job = await ctx.client.resource(Job).get({ namespace, name }, { signal: ctx.signal });
      } catch (error) {
        this.#note({ type: 'Warning', reason: 'FailedGet', message: `Get job: ${messageOf(error)}` });
        throw error;
      }
      if (!(await this.#delete(job))) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  /**
   * Creates the job for a scheduled time. Returns false if the job is already active, or if a job of another owner has its name.
   */
  async #start(dueMs: number): Promise<boolean> {
    const job = await this.#create(scheduledJob(this.#cronJob, dueMs));
    const { active = [] } = this.#status;
    if (!job || active.some(({ uid }) => uid === job.metadata.uid)) return false;
    this.#status = {
      ...withActive(this.#status, [...active, referenceTo(job)]),
      lastScheduleTime: formatTime(dueMs),
    };
    return true;
  }

  async #create(object: Job): Promise<Stored<Job> | undefined> {
    const { ctx } = this.#parts;
    try {
      const job = await createObject(ctx, { kind: Job, object });
      this.#note({ reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` });
      return job;
    } catch (error) {
      if (isAlreadyExists(error)) {
        // An earlier reconcile may have created the job and then failed to write the status.
        const existing = await ctx.client.resource(Job).get(objectKey(object), { signal: ctx.signal });
        return isControlledBy(existing, this.#cronJob) ? existing : undefined;
      }
      if (!isNamespaceTerminating(error)) {
        this.#note({ type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${messageOf(error)}` });
      }
      throw error;
    }
  }

  /** Deletes a job and its pods. Returns false if the deletion failed. */
  async #delete(job: Stored<Job>): Promise<boolean> {
    try {
      await deleteObject(this.#parts.ctx, { kind: Job, object: job, propagationPolicy: 'Background' });
    } catch (error) {
      this.#note({ type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${messageOf(error)}` });
      return false;
    }
    this.#forget(job.metadata.uid);
    this.#note({ reason: 'SuccessfulDelete', message: `Deleted job ${job.metadata.name}` });
    return true;
  }

  #forget(uid: string | undefined): void {
    const active = (this.#status.active ?? []).filter((reference) => reference.uid !== uid);
    this.#status = withActive(this.#status, active);
  }

  #note(note: CronJobNote): void {
    this.#parts.events.record(this.#parts.ctx, { about: this.#cronJob, ...note });
  }
}
