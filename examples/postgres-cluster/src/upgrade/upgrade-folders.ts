import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The folders of a major upgrade, next to the data directory on its volume. In `….upgraded`, the data of the new version is
 * prepared. In `….before-upgrade`, the old data is kept until the new server has started. `….work` is the working directory of
 * pg_upgrade.
 *
 * The old and the new data share files by hard links. Until a server of the new version has started with the new data, the old
 * data is complete.
 */
export class UpgradeFolders {
  readonly data: string;
  readonly prepared: string;
  readonly kept: string;
  readonly work: string;

  constructor(dataDirectory: string) {
    this.data = dataDirectory;
    this.prepared = `${dataDirectory}.upgraded`;
    this.kept = `${dataDirectory}.before-upgrade`;
    this.work = `${dataDirectory}.work`;
  }

  /** Returns the major version of the data, or undefined if there is no data. */
  major(): Promise<number | undefined> {
    return majorOf(this.data);
  }

  /** Replaces the old data with the prepared data. Continues an interrupted swap. */
  async swap(): Promise<void> {
    if (await exists(this.data)) await rename(this.data, this.kept);
    await rename(this.prepared, this.data);
  }

  /** Returns true if a swap was interrupted: the old data has been moved, but the new data has not. */
  async isHalfSwapped(): Promise<boolean> {
    return !(await exists(this.data)) && (await exists(this.kept)) && (await exists(this.prepared));
  }

  /**
   * Restores the data of version `major`, and removes the prepared data. Returns true if there was something to undo.
   *
   * @throws Error if a server of the new version may already have written to the shared files
   */
  async rollBack(major: number): Promise<boolean> {
    let isUndone = false;
    if ((await majorOf(this.kept)) === major) {
      if (await exists(this.#superseded)) {
        throw new Error(
          `cannot return to PostgreSQL ${major}: a server of version ${await majorOf(this.data)} has already run with this data; restore a backup instead`,
        );
      }
      // Moves the new data away before deleting it: a half-deleted data directory must never look complete.
      if (await exists(this.data)) {
        await rm(this.prepared, { recursive: true, force: true });
        await rename(this.data, this.prepared);
      }
      await rename(this.kept, this.data);
      isUndone = true;
    }
    if ((await majorOf(this.data)) !== major) return isUndone;
    if (await exists(this.prepared)) {
      await rm(this.prepared, { recursive: true, force: true });
      isUndone = true;
    }
    // Before it links any file, pg_upgrade renames pg_control, so that the old version does not start.
    const control = join(this.data, 'global', 'pg_control');
    if (!(await exists(control)) && (await exists(`${control}.old`))) {
      await rename(`${control}.old`, control);
      isUndone = true;
    }
    return isUndone;
  }

  /** Records that a server of the new version is about to start, which makes the old data unusable. */
  async supersede(): Promise<void> {
    if (await exists(this.kept)) await writeFile(this.#superseded, '', { flush: true });
  }

  /** Removes the kept old data. Returns true if there was any. */
  async removeKept(): Promise<boolean> {
    if (!(await exists(this.kept))) return false;
    await rm(this.kept, { recursive: true, force: true });
    return true;
  }

  get #superseded(): string {
    return join(this.kept, 'kubewright.superseded');
  }
}

/** Returns the major version of a data directory, or undefined if it contains no database. */
export async function majorOf(dataDirectory: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(join(dataDirectory, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
