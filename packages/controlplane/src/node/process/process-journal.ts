import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { MarkedProcesses } from './marked-processes.ts';
import { isReplaced, isSameProcess, type ProcessIdentity } from './process-identity.ts';

/** The content of the journal's file. */
interface Note {
  /** The mark of all processes of the run. */
  readonly instance?: string;
  readonly processes: readonly ProcessIdentity[];
}

/**
 * Records the processes that the agent has started and the mark that they and their children share, so that a later run can kill
 * processes that outlived a crash. A process is identified by pid and start time, so a process that reuses a pid is never killed.
 */
export class ProcessJournal {
  readonly #path: string;
  readonly #running = new Map<number, ProcessIdentity>();
  readonly #marked: MarkedProcesses;
  /** First part of the mark of all processes of this run. */
  readonly instance: string;
  readonly #onFault: (error: unknown) => void;

  /**
   * @param path - the journal's file; readable only by its owner.
   * @param options - `onFault`: called when the file cannot be updated while containers run.
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

  /** Records the leader of a process group. */
  add(leader: ProcessIdentity): void {
    this.#running.set(leader.pid, leader);
    this.#update();
  }

  remove(pid: number): void {
    if (this.#running.delete(pid)) this.#update();
  }

  /** Kills every recorded process and its descendants immediately, without waiting. */
  killAll(): void {
    const roots = [...this.#running.values()];
    this.#marked.endNow({ mark: this.instance, roots });
    killSessions(roots);
  }

  /** Kills the processes left by an earlier run and starts this run's journal. Returns the number of processes killed. */
  sweep(): number {
    const { instance, processes } = this.#read();
    const left = processes.filter(isSameProcess);
    const ended = instance === undefined ? 0 : this.#marked.endNow({ mark: instance, roots: left });
    killSessions(left);
    this.#write();
    return Math.max(ended, left.length);
  }

  #read(): Note {
    try {
      const note = JSON.parse(readFileSync(this.#path, 'utf8')) as Note;
      const processes = Array.isArray(note.processes) ? note.processes : [];
      // Any other value could be a prefix of the marks of unrelated processes.
      const isMark = typeof note.instance === 'string' && /^[0-9a-f]{32}$/.test(note.instance);
      return { ...(isMark && { instance: note.instance }), processes };
    } catch {
      // No journal: no leftovers are known.
      return { processes: [] };
    }
  }

  /**
   * Writes the journal. If the disk is full, containers still run: the old file has the same mark, which identifies
   * their processes.
   */
  #update(): void {
    try {
      this.#write();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #write(): void {
    // Written atomically: a truncated file would hide leftover processes.
    const note: Note = { instance: this.instance, processes: [...this.#running.values()] };
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

/**
 * Signals a leader's process group, even if the leader itself has ended. Ignores groups that no longer exist, invalid pids, and
 * pids that now belong to another process.
 */
export function killGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  // 0 would be our own group, and 1 would be all processes.
  if (!Number.isSafeInteger(leader.pid) || leader.pid <= 1 || isReplaced(leader)) return;
  signalUnlessGone(-leader.pid, signal);
}

/**
 * Sends a signal. Does nothing if the process has ended or belongs to another user, such as a setuid program in a
 * cluster that is not run by root.
 */
function signalUnlessGone(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/**
 * Kills process groups and everything else in their leaders' sessions, because a shell on a terminal gives each job its own
 * group. Without `/proc`, sessions are unknown and only the groups are killed.
 */
export function killSessions(leaders: readonly ProcessIdentity[]): void {
  const own = leaders.filter((leader) => !isReplaced(leader));
  for (const leader of own) killGroup(leader, 'SIGKILL');
  for (const pid of membersOf(new Set(own.map(({ pid }) => pid)))) signalUnlessGone(pid, 'SIGKILL');
}

function membersOf(leaders: ReadonlySet<number>): readonly number[] {
  if (process.platform !== 'linux' || leaders.size === 0) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => leaders.has(sessionOf(pid)));
}

/** Returns the session of a process; 0 if the process no longer exists. */
function sessionOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name comes second and may contain spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    // The process ended after the folder was read.
    return 0;
  }
}

/** Returns true while any member of a process group runs, even without its leader. */
export function groupLives(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    // EPERM: it is running as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
