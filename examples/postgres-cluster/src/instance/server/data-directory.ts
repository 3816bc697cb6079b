import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { majorOf, UpgradeFolders } from '../../upgrade/upgrade-folders.ts';
import type { DataState } from '../decision/situation.ts';
import { type ControlData, parseControlData } from './control-data.ts';
import { programMajor } from './program-version.ts';
import { type ProgramContext, runProgram } from './run-program.ts';

/**
 * The data directory of an instance, and its neighbours on the same volume: `…new`, which is being filled, `…unusable`, a note
 * why the data must be replaced, and `…copied`, a note that a server has not become consistent with the data yet.
 */
export class DataDirectory {
  readonly path: string;
  readonly #context: ProgramContext;
  #major: number | undefined;

  constructor(path: string, context: ProgramContext) {
    this.path = path;
    this.#context = context;
  }

  /** The folders of a major upgrade of this data. */
  get upgrade(): UpgradeFolders {
    return new UpgradeFolders(this.path);
  }

  /** Folder on the volume for files that are not data of the server. */
  get volume(): string {
    return dirname(this.path);
  }

  async read(signal: AbortSignal): Promise<DataState> {
    const why = await fileText(this.#note);
    if (why !== undefined) return { kind: 'unusable', why };
    if (!(await exists(join(this.path, 'PG_VERSION')))) return this.#withoutVersion();
    const [major, ownMajor] = [await majorOf(this.path), await this.#programMajor(signal)];
    if (major !== ownMajor) {
      return {
        kind: 'unusable',
        why: `the data is of PostgreSQL ${major}, and this instance runs version ${ownMajor}`,
      };
    }
    const { systemID, timeline: checkpointed } = await this.controlData(signal);
    const timeline = Math.max(checkpointed, newestTimeline(await readdir(join(this.path, 'pg_wal'))));
    const role = (await exists(join(this.path, 'standby.signal'))) ? 'standby' : 'primary';
    return { kind: 'present', role, systemID, timeline, isDiverged: false };
  }

  async controlData(signal: AbortSignal): Promise<ControlData> {
    const options = { args: ['-D', this.path], context: this.#context, signal };
    return parseControlData((await runProgram('pg_controldata', options)).stdout);
  }

  /** Undoes a major upgrade from the version of this instance's programs that did not succeed. Returns true if there was one. */
  async rollBackUpgrade(signal: AbortSignal): Promise<boolean> {
    return this.upgrade.rollBack(await this.#programMajor(signal));
  }

  /** Notes that the data must be replaced. */
  async markUnusable(why: string): Promise<void> {
    await this.write(this.#note, why);
  }

  async clearUnusable(): Promise<void> {
    await rm(this.#note, { force: true });
  }

  /** Notes that the data was just copied from a primary, or rewound, and may need more of its WAL to become consistent. */
  async markCopied(): Promise<void> {
    await this.write(this.#copied, '');
  }

  async clearCopied(): Promise<void> {
    await rm(this.#copied, { force: true });
  }

  /** True until a server with copied data has become consistent. */
  isCopied(): Promise<boolean> {
    return exists(this.#copied);
  }

  /** Closes the data directory to other users. A server refuses one that its group may write to, as with the pod's `fsGroup`. */
  async protect(): Promise<void> {
    await chmod(this.path, 0o700);
  }

  /** Sets the role in which the server starts. */
  async setRole(role: 'primary' | 'standby'): Promise<void> {
    const path = join(this.path, 'standby.signal');
    if (role === 'standby') await this.write(path, '');
    else await rm(path, { force: true });
  }

  /**
   * Fills a new folder, which then becomes the data directory. An interrupted attempt leaves no data directory.
   *
   * @param fill - must create everything in the folder with the given path, which does not exist.
   */
  async replace(fill: (path: string) => Promise<void>): Promise<void> {
    const path = `${this.path}.new`;
    await rm(path, { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
    // The data no longer exists, so the note is obsolete.
    await this.clearUnusable();
    await fill(path);
    await rename(path, this.path);
  }

  /** Writes a file that belongs to the server's user. Readers see either the old or the new content. */
  async write(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
    const temporary = `${path}.tmp`;
    await writeFile(temporary, content, { mode, flush: true });
    await this.#own(temporary);
    await rename(temporary, path);
  }

  /** Creates a folder that only the server's user can enter. */
  async createFolder(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await this.#own(path);
  }

  async #programMajor(signal: AbortSignal): Promise<number> {
    this.#major ??= await programMajor(this.#context, signal);
    return this.#major;
  }

  get #note(): string {
    return `${this.path}.unusable`;
  }

  get #copied(): string {
    return `${this.path}.copied`;
  }

  /** An empty folder, such as the mount point of a volume, does not count as a data directory. Other content is never deleted. */
  async #withoutVersion(): Promise<DataState> {
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    if (names.length === 0) return { kind: 'empty' };
    throw new Error(`${this.path} is not empty, and contains no database: remove its content`);
  }

  async #own(path: string): Promise<void> {
    const { user } = this.#context;
    if (user) await chown(path, user.uid, user.gid);
  }
}

/** The names of WAL files begin with their timeline. A primary that has just been promoted has no checkpoint on its timeline yet. */
function newestTimeline(files: readonly string[]): number {
  const timelines = files
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .map((name) => Number.parseInt(name.slice(0, 8), 16));
  return Math.max(0, ...timelines);
}

/** Returns the content of a file, or undefined if it does not exist. */
async function fileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
