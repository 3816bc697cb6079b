import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { MarkedProcesses } from './marked-processes.ts';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';

/** What an agent notes of itself. */
interface Note {
  /** The mark of all its processes. */
  readonly instance?: string;
  readonly processes: readonly ProcessIdentity[];
}

/**
 * Notes which processes the agent has started, and the mark that all of them and their children have, so that a later run
 * can end those that outlived a crash. A process is known by pid and start time: a pid that was used again is never killed.
 */
export class ProcessJournal {
  readonly #path: string;
  readonly #running = new Map<number, ProcessIdentity>();
  readonly #marked: MarkedProcesses;
  /** First part of every mark of this run's processes. */
  readonly instance: string;
  readonly #onFault: (error: unknown) => void;

  /**
   * @param path - the note's file; made readable by its owner only.
   * @param options - `onFault`: called when the note cannot be brought up to date while containers run.
   */
  constructor(
    path: string,
    options: {
      readonly instance: string;
      readonly marked: MarkedProcesses;
      readonly onFault?: (error: unknown) => void;
    },
  ) {
    this.#path = path;
    this.instance = options.instance;
    this.#marked = options.marked;
    this.#onFault = options.onFault ?? (() => undefined);
  }

  /** Notes a process group's leader. */
  add(pid: number): void {
    this.#running.set(pid, processIdentity(pid));
    this.#update();
  }

  remove(pid: number): void {
    if (this.#running.delete(pid)) this.#update();
  }

  /** Ends every process that is noted and all that came of them, without a word and without waiting. */
  killAll(): void {
    this.#marked.endNow({ mark: this.instance, roots: [...this.#running.keys()] });
    killSessions(new Set(this.#running.keys()));
  }

  /** Ends what an earlier run left behind, and begins this run's note; answers how many processes there were. */
  sweep(): number {
    const { instance, processes } = this.#read();
    const left = processes.filter(isSameProcess);
    const roots = left.map(({ pid }) => pid);
    const ended = instance === undefined ? 0 : this.#marked.endNow({ mark: instance, roots });
    killSessions(new Set(roots));
    this.#write();
    return Math.max(ended, left.length);
  }

  #read(): Note {
    try {
      const note = JSON.parse(readFileSync(this.#path, 'utf8')) as Note;
      const processes = Array.isArray(note.processes) ? note.processes : [];
      // Anything else would be the beginning of strangers' marks.
      const isMark = typeof note.instance === 'string' && /^[0-9a-f]{32}$/.test(note.instance);
      return { ...(isMark && { instance: note.instance }), processes };
    } catch {
      // No journal: nothing is known to be left.
      return { processes: [] };
    }
  }

  /** Writes the note; a full disk ends no container: the mark in the older note finds its processes, too. */
  #update(): void {
    try {
      this.#write();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #write(): void {
    // In one step: a note cut short by a crash would say that nothing is left.
    const note: Note = { instance: this.instance, processes: [...this.#running.values()] };
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

/** Signals a process group; a group that has gone already is no error, nor one that is no container's. */
export function killGroup(leader: number, signal: NodeJS.Signals): void {
  // 0 would be our own group, 1 every process that there is.
  if (!Number.isSafeInteger(leader) || leader <= 1) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends process groups and everything else of their leaders' sessions: a shell on a terminal gives each of its jobs a
 * group of its own. Systems without `/proc` tell of no sessions: there it is the groups alone.
 */
export function killSessions(leaders: ReadonlySet<number>): void {
  for (const leader of leaders) killGroup(leader, 'SIGKILL');
  for (const pid of membersOf(leaders)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function membersOf(leaders: ReadonlySet<number>): readonly number[] {
  if (process.platform !== 'linux' || leaders.size === 0) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => leaders.has(sessionOf(pid)));
}

/** Number of the session that a process is in; 0 when it has gone. */
function sessionOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name comes second and may hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    // It ended since the folder was read.
    return 0;
  }
}

/** True while anything of a process group runs, its leader or what that left behind. */
export function groupLives(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
