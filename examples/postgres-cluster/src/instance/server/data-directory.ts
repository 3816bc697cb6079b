import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { majorOf, UpgradeFolders } from '../../upgrade/upgrade-folders.ts';
import type { DataState } from '../decision/situation.ts';
import { type ControlData, parseControlData } from './control-data.ts';
import { defaultSegmentBytes } from './disk-space.ts';
import { programMajor } from './program-version.ts';
import { type ProgramContext, runProgram } from './run-program.ts';

/**
 * The data directory of an instance, and related files on the same volume. `….new` is a data directory that is being
 * created. `….unusable` is a file that says why the data must be replaced. `….copied` is a file that marks cloned or
 * rewound data as long as no server has reached consistency with it.
 */
export class DataDirectory {
  readonly path: string;
  readonly #context: ProgramContext;
  #major: number | undefined;
  #segmentBytes = defaultSegmentBytes;

  constructor(path: string, context: ProgramContext) {
    this.path = path;
    this.#context = context;
  }

  /** The folders of a major upgrade of this data. */
  get upgrade(): UpgradeFolders {
    return new UpgradeFolders(this.path);
  }

  /** Folder on the volume for files outside the data directory. */
  get volume(): string {
    return dirname(this.path);
  }

  /** Size of a WAL segment; PostgreSQL's default until the data has been read. */
  get segmentBytes(): number {
    return this.#segmentBytes;
  }

  async read(signal: AbortSignal): Promise<DataState> {
    const why = await fileText(this.#note);
    if (why !== undefined) return { kind: 'unusable', why };
    if (!(await exists(join(this.path, 'PG_VERSION')))) return this.#withoutVersion();
    const [major, ownMajor] = [await majorOf(this.path), await this.#programMajor(signal)];
    if (major !== ownMajor) {
      return {
        kind: 'unusable',
        why: `the data has version ${major}, but this instance runs PostgreSQL ${ownMajor}`,
      };
    }
    const { systemID, timeline: checkpointed, state, checkpointLSN } = await this.controlData(signal);
    const timeline = Math.max(checkpointed, newestTimeline(await readdir(join(this.path, 'pg_wal'))));
    const role = (await exists(join(this.path, 'standby.signal'))) ? 'standby' : 'primary';
    const isShutDown = role === 'primary' && state === 'shut down';
    return {
      kind: 'present',
      role,
      systemID,
      timeline,
      ...(isShutDown && { shutdownLSN: checkpointLSN }),
      isDiverged: false,
    };
  }

  async controlData(signal: AbortSignal): Promise<ControlData> {
    const options = { args: ['-D', this.path], context: this.#context, signal };
    const found = parseControlData((await runProgram('pg_controldata', options)).stdout);
    this.#segmentBytes = found.segmentBytes;
    return found;
  }

  /** Rolls back a failed major upgrade from the version that this instance runs. Returns true if there was something to undo. */
  async rollBackUpgrade(signal: AbortSignal): Promise<boolean> {
    return this.upgrade.rollBack(await this.#programMajor(signal));
  }

  /** Marks the data as unusable, so that it is replaced. */
  async markUnusable(why: string): Promise<void> {
    await this.write(this.#note, why);
  }

  async clearUnusable(): Promise<void> {
    await rm(this.#note, { force: true });
  }

  /** Marks the data as just cloned or rewound: it may need more WAL from the primary to become consistent. */
  async markCopied(): Promise<void> {
    await this.write(this.#copied, '');
  }

  async clearCopied(): Promise<void> {
    await rm(this.#copied, { force: true });
  }

  /** Resolves to true for cloned or rewound data until a server has reached consistency with it. */
  isCopied(): Promise<boolean> {
    return exists(this.#copied);
  }

  /**
   * Denies other users access to the data directory. The server does not start if the group has write access, which the pod's
   * `fsGroup` grants.
   */
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
   * Deletes the data directory, and replaces it with one that `fill` creates. An interrupted attempt leaves no data directory.
   *
   * @param fill - creates the folder and all its content. The folder does not exist yet, unless `resumes` is true and an interrupted
   *   attempt has left it.
   */
  async replace(
    fill: (path: string) => Promise<void>,
    { resumes = false }: { readonly resumes?: boolean } = {},
  ): Promise<void> {
    const path = `${this.path}.new`;
    if (!resumes) await rm(path, { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
    // The unusable data no longer exists.
    await this.clearUnusable();
    await fill(path);
    await rename(path, this.path);
  }

  /** Writes a file owned by the server's user, atomically. */
  async write(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
    const temporary = `${path}.tmp`;
    await writeFile(temporary, content, { mode, flush: true });
    await this.#own(temporary);
    await rename(temporary, path);
  }

  /** Creates a folder that only the server's user may enter. */
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

  /**
   * Checks a folder without a database: an empty folder, such as a mount point, can be used. Other content is never
   * deleted.
   */
  async #withoutVersion(): Promise<DataState> {
    const names = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    if (names.length === 0) return { kind: 'empty' };
    throw new Error(`${this.path} is not empty, but contains no database; remove its content`);
  }

  async #own(path: string): Promise<void> {
    const { user } = this.#context;
    if (user) await chown(path, user.uid, user.gid);
  }
}

/**
 * Returns the newest timeline of the WAL files, whose names begin with it. pg_control may be behind: a primary that was just
 * promoted has no checkpoint on its timeline yet.
 */
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
