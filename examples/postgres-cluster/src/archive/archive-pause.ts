import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Time for which standbys do not read the archive after an attempt failed or was slow. */
const pauseMs = 30_000;

/** An attempt that finds nothing and takes longer than this is slow. */
const slowMs = 1_000;

/**
 * Pauses the reads of a standby while its archive does not respond or is slow. PostgreSQL reads the archive several times before it
 * streams or waits: for the history of the next timeline, and for the next segment on each timeline. If these attempts take
 * longer than `wal_retrieve_retry_interval` (5 s) in total, PostgreSQL never waits, so it is unknown whether the standby has
 * replayed all its WAL, and the standby neither takes part in an election nor follows a new primary.
 */
export class ArchivePause {
  readonly #path: string;
  readonly #now: () => Date;
  readonly #startedMs: number;

  constructor(locationFile: string, now: () => Date) {
    this.#path = join(dirname(locationFile), 'archive-pause.json');
    this.#now = now;
    this.#startedMs = now().getTime();
  }

  /** Returns true while the archive should not be read. */
  async isActive(): Promise<boolean> {
    try {
      // Written by `begin`.
      const { since } = JSON.parse(await readFile(this.#path, 'utf8')) as { readonly since: number };
      const ageMs = this.#now().getTime() - since;
      // A negative age means that the clock was set back.
      return ageMs >= 0 && ageMs < pauseMs;
    } catch {
      // There was no pause.
      return false;
    }
  }

  /** Begins a pause after an attempt that found nothing, if it was slow. */
  async afterMiss(): Promise<void> {
    if (this.#now().getTime() - this.#startedMs > slowMs) await this.begin();
  }

  /** Begins a pause after an attempt that failed. */
  async begin(): Promise<void> {
    // Best effort: if the disk is full, the next attempt reads the archive again.
    await writeFile(`${this.#path}.new`, JSON.stringify({ since: this.#now().getTime() }))
      .then(() => rename(`${this.#path}.new`, this.#path))
      .catch(() => undefined);
  }
}
