import type { Logger } from '@kubewright/runtime';
import type { ArchiveStore } from '../archive/archive-store.ts';
import type { BackupReport, BackupRequest } from '../instance/protocol.ts';
import { applyRetention } from './apply-retention.ts';
import { type ArchivedBackup, listBackups } from './archived-backup.ts';
import { type BackupContext, takeBackup } from './take-backup.ts';

export interface BackupRunnerOptions extends Omit<BackupContext, 'store' | 'cluster' | 'signal'> {
  /**
   * Opens the archive, and returns it with the ID of the cluster, and the number of backups to keep.
   *
   * @throws ArchiveError if the cluster has no archive
   */
  readonly archive: () => Promise<Pick<BackupContext, 'store' | 'cluster'> & { readonly keep: number }>;
  readonly log: Logger;
}

/** Takes the base backups that the operator requests, one at a time. */
export class BackupRunner implements AsyncDisposable {
  readonly #options: BackupRunnerOptions;
  readonly #reports = new Map<string, BackupReport>();
  readonly #abort = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(options: BackupRunnerOptions) {
    this.#options = options;
  }

  /** Queues a backup, unless this instance already knows its UID. */
  start(request: BackupRequest): void {
    const { uid } = request;
    if (this.#reports.has(uid)) return;
    const startedAt = this.#now().toISOString();
    this.#reports.set(uid, { phase: 'Running', startedAt });
    this.#last = this.#last.then(() => this.#run(request, startedAt));
  }

  /** Returns the state of the backup with this UID, or undefined if this instance does not know it. */
  report(uid: string): BackupReport | undefined {
    return this.#reports.get(uid);
  }

  async #run(request: BackupRequest, startedAt: string): Promise<void> {
    const { archive, log } = this.#options;
    const { signal } = this.#abort;
    try {
      const { store, cluster, keep } = await archive();
      // Another instance may have completed this backup, or this instance did before its manager restarted.
      const existing = (await listBackups(store, signal)).find(({ uid }) => uid === request.uid);
      const backup = existing ?? (await takeBackup(request, { ...this.#options, store, cluster, signal }));
      log.info('completed a backup', { backup: backup.id, sizeBytes: backup.sizeBytes });
      await this.#expire(store, keep);
      const [oldest] = await listBackups(store, signal);
      this.#reports.set(request.uid, {
        ...completed(backup),
        ...(oldest && { firstRecoverabilityPoint: oldest.stoppedAt }),
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const stoppedAt = this.#now().toISOString();
      this.#reports.set(request.uid, { phase: 'Failed', error: message, startedAt, stoppedAt });
      log.error('cannot take a backup', { backup: request.name, error });
    }
  }

  /** Deletes old backups. The next backup retries failed deletions. */
  async #expire(store: ArchiveStore, keep: number): Promise<void> {
    const { log } = this.#options;
    const now = this.#now();
    try {
      const { backups, wal } = await applyRetention(store, { keep, now, signal: this.#abort.signal });
      if (backups.length > 0) log.info('deleted old backups', { backups, wal: wal.length });
    } catch (error) {
      log.error('cannot delete old backups', { error });
    }
  }

  #now(): Date {
    return new Date(this.#options.clock.now());
  }

  /** Cancels the running backup. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort(new Error('the instance is stopping'));
    await this.#last;
  }
}

function completed(backup: ArchivedBackup): BackupReport {
  const { id, beginLSN, endLSN, beginWAL, endWAL, timeline, startedAt, stoppedAt, sizeBytes } = backup;
  return {
    phase: 'Completed',
    id,
    beginLSN,
    endLSN,
    beginWAL,
    endWAL,
    timeline,
    startedAt,
    stoppedAt,
    sizeBytes,
  };
}
