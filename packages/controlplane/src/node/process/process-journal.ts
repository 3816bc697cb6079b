import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';

/**
 * Notes which processes the agent has started, so that a later run can end those that outlived a crash. A process is
 * known by pid and start time: a pid that was used again is never killed.
 */
export class ProcessJournal {
  readonly #path: string;
  readonly #running = new Map<number, ProcessIdentity>();

  /** @param path - the note's file; made readable by its owner only. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Notes a process group's leader. */
  add(pid: number): void {
    this.#running.set(pid, processIdentity(pid));
    this.#write();
  }

  remove(pid: number): void {
    if (this.#running.delete(pid)) this.#write();
  }

  /** Ends the process groups that an earlier run left behind; answers how many there were. */
  sweep(): number {
    const left = this.#read().filter(isSameProcess);
    for (const { pid } of left) killGroup(pid, 'SIGKILL');
    rmSync(this.#path, { force: true });
    return left.length;
  }

  #read(): readonly ProcessIdentity[] {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8')) as ProcessIdentity[];
    } catch {
      // No journal, or cut short by the crash: nothing is known to be left.
      return [];
    }
  }

  #write(): void {
    writeFileSync(this.#path, JSON.stringify([...this.#running.values()]), { mode: 0o600 });
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
