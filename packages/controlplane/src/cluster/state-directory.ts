import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import { folderFault } from '@kubewright/apimachinery/internal';
import { makeFolder } from '../node/make-folder.ts';
import { isSameProcess, type ProcessIdentity, processIdentity } from '../node/process/process-identity.ts';

/**
 * Thrown if the cluster's state folder cannot be used. The message says what was tried, why it failed and what to do.
 *
 * @example
 * ```ts
 * try {
 *   await EmbeddedCluster.start({ directory: '.kubewright' });
 * } catch (error) {
 *   if (error instanceof StateDirectoryError) console.error(`${error.what}; ${error.remedy}`);
 *   else throw error;
 * }
 * ```
 */
export class StateDirectoryError extends KubewrightError {
  override readonly name = 'StateDirectoryError';
  readonly code = 'KW5502';
}

/** Small JSON files with a cluster's state, kept in one folder. */
export interface Notes {
  /** Reads a file; returns `undefined` if it is missing or incomplete. */
  readNote<T>(name: string): T | undefined;
  /** Writes a file that only the user can read. @throws {@link StateDirectoryError} if it cannot be written */
  writeNote(name: string, value: unknown): void;
}

/** Returns the notes in a folder, which is created when the first file is written. */
export function notesIn(path: string): Notes {
  return {
    readNote<T>(name: string): T | undefined {
      try {
        return JSON.parse(readFileSync(join(path, name), 'utf8')) as T;
      } catch {
        // The note is missing, or was truncated by a crash. Both count as missing.
        return undefined;
      }
    },
    writeNote(name, value) {
      try {
        makeFolder(path, 0o711);
        writeFileSync(join(path, name), `${JSON.stringify(value)}\n`, { mode: 0o600 });
      } catch (error) {
        throw unusable(path, error);
      }
    },
  };
}

/**
 * The folder for an embedded cluster's persistent state: certificates, kubeconfig, process notes and temporary folders. Only the
 * user can read it, git ignores it, and one instance at a time holds it.
 */
export class StateDirectory implements Disposable, Notes {
  /** Absolute path. */
  readonly path: string;
  /** The previous holder, if it was killed before it released the folder; otherwise `undefined`. */
  readonly abandonedBy: ProcessIdentity | undefined;
  readonly #isTemporary: boolean;
  #held = true;

  private constructor(
    path: string,
    { abandonedBy, isTemporary }: { readonly abandonedBy: ProcessIdentity | undefined; readonly isTemporary: boolean },
  ) {
    this.path = path;
    this.abandonedBy = abandonedBy;
    this.#isTemporary = isTemporary;
  }

  /**
   * Creates a temporary folder, which is removed on dispose.
   *
   * @throws {@link StateDirectoryError} if the folder cannot be created.
   */
  static temporary(): StateDirectory {
    const parent = resolve(tmpdir());
    const path = orUnusable(parent, () => mkdtempSync(join(parent, 'kubewright-')));
    return StateDirectory.#hold(path, { isTemporary: true });
  }

  /**
   * Creates the folder if needed and locks it.
   *
   * @throws {@link StateDirectoryError} if the folder is not writable, or if another instance holds it. The error
   *   contains that instance's pid.
   */
  static take(path: string): StateDirectory {
    return StateDirectory.#hold(resolve(path), { isTemporary: false });
  }

  /**
   * Returns the folder of a cluster's state: `directory`, or else a folder inside `data`, or else a temporary folder.
   *
   * @throws {@link StateDirectoryError} if the folder cannot be created, is not writable, or another instance holds it.
   */
  static open({
    directory,
    data,
  }: {
    readonly directory?: string | undefined;
    readonly data?: string | undefined;
  }): StateDirectory {
    if (directory !== undefined) return StateDirectory.take(directory);
    if (data === undefined) return StateDirectory.temporary();
    // Pods must be able to enter the folder of the objects, because it contains their volumes.
    orUnusable(data, () => makeFolder(resolve(data), 0o711));
    return StateDirectory.take(join(data, 'cluster'));
  }

  static #hold(path: string, { isTemporary }: { readonly isTemporary: boolean }): StateDirectory {
    return orUnusable(path, () => {
      makeFolder(path, 0o700);
      chmodSync(path, 0o700);
      writeFileSync(join(path, '.gitignore'), '*\n', { mode: 0o600 });
      return new StateDirectory(path, { abandonedBy: lock(path), isTemporary });
    });
  }

  /** Returns the path of a file or folder inside the directory. */
  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  readNote<T>(name: string): T | undefined {
    return notesIn(this.path).readNote<T>(name);
  }

  writeNote(name: string, value: unknown): void {
    notesIn(this.path).writeNote(name, value);
  }

  /** Releases the folder; removes it if it is temporary. */
  [Symbol.dispose](): void {
    if (!this.#held) return;
    this.#held = false;
    if (this.#isTemporary) rmSync(this.path, { recursive: true, force: true });
    else rmSync(this.file('instance.json'), { force: true });
  }
}

function orUnusable<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof StateDirectoryError) throw error;
    throw unusable(path, error);
  }
}

function unusable(path: string, cause: unknown): StateDirectoryError {
  const { why, remedy } = folderFault(cause, { path, instead: 'use another folder' });
  const what = `cannot use the cluster's state folder ${path}`;
  return new StateDirectoryError({ what, why, remedy }, { cause });
}

/** Returns the pid of the live process that holds a state folder, or `undefined`. */
export function clusterProcess(path: string): number | undefined {
  const holder = readHolder(join(path, 'instance.json'));
  return holder && isSameProcess(holder) ? holder.pid : undefined;
}

/** Writes the lock. Returns the previous holder if it is dead; throws if it is alive. */
function lock(directory: string): ProcessIdentity | undefined {
  const path = join(directory, 'instance.json');
  let abandoned: ProcessIdentity | undefined;
  for (;;) {
    try {
      writeFileSync(path, `${JSON.stringify(processIdentity(process.pid))}\n`, { flag: 'wx', mode: 0o600 });
      return abandoned;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder && isSameProcess(holder)) {
      throw new StateDirectoryError({
        what: `a cluster is already running in ${directory} (pid ${holder.pid})`,
        why: `process ${holder.pid} has locked ${path}`,
        remedy: `stop the running cluster (press Ctrl-C in its terminal, or run kubewright cluster down or kill ${holder.pid}), or use another folder`,
      });
    }
    abandoned = holder;
    rmSync(path, { force: true });
  }
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    // The lock was removed in the meantime, or truncated by a crash: the folder is free.
    return undefined;
  }
}
