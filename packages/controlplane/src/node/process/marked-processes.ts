import { endedTime, isSameProcess, type ProcessIdentity } from './process-identity.ts';
import type { ProcessTable, TableEntry } from './process-table.ts';

/** Environment variable that marks every process of a container, with the value `instance/pod uid/container.attempt`. */
const variable = 'KUBEWRIGHT_CONTAINER';
/** Maximum number of table reads. A process that forks during one read is found by the next read. */
const maxLooks = 20;

/**
 * Selects processes: those with this mark or a mark below it (`a/b` is below `a`), the roots, and the descendants of all of
 * these.
 */
export interface MarkedSelection {
  readonly mark: string;
  /** Additional processes, selected with their descendants even if they hide their environment. */
  readonly roots?: readonly ProcessIdentity[];
}

/**
 * Finds and kills everything that a container has started, including processes that left its process group (`setsid`, `nohup`,
 * daemons): children inherit the environment, in which each container has its own mark. Only a process that leaves its group and
 * its parent and clears its environment escapes. If the system hides environments (as macOS does for system programs),
 * only descendants and process groups are found.
 */
export class MarkedProcesses {
  readonly #table: ProcessTable;
  #running: Promise<readonly TableEntry[]> | undefined;
  #next: Promise<readonly TableEntry[]> | undefined;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** Returns the environment variable for a marked process. */
  environment(mark: string): Readonly<Record<string, string>> {
    return { [variable]: mark };
  }

  /** Kills the processes with SIGKILL. Resolves once they have exited, or after the maximum number of reads. */
  async end(selection: MarkedSelection): Promise<void> {
    const ended = new Set<string>();
    for (let look = 0; look < maxLooks; look++) {
      if (this.#killNew(select(await this.#look(), selection), ended).living === 0) return;
    }
  }

  /** Kills the processes without waiting for them to exit. Returns their number. */
  endNow(selection: MarkedSelection): number {
    const ended = new Set<string>();
    for (let look = 0; look < maxLooks; look++) {
      if (this.#killNew(select(this.#table.readNow(), selection), ended).fresh === 0) break;
    }
    return ended.size;
  }

  #killNew(entries: readonly TableEntry[], ended: Set<string>): { readonly living: number; readonly fresh: number } {
    const living = entries.filter(({ started }) => started !== endedTime);
    const fresh = living.filter(({ pid, started }) => !ended.has(`${pid} ${started}`));
    for (const entry of fresh) {
      ended.add(`${entry.pid} ${entry.started}`);
      // The pid may have been reused since the read.
      if (this.#table.has(entry)) kill(entry.pid);
    }
    return { living: living.length, fresh: fresh.length };
  }

  /**
   * Shares one read among all callers that requested it before it started, so a hundred containers that end together do not each
   * read the table.
   */
  #look(): Promise<readonly TableEntry[]> {
    if (this.#next) return this.#next;
    const before = this.#running;
    const begin = async (): Promise<readonly TableEntry[]> => {
      await before?.catch(() => undefined);
      this.#next = undefined;
      this.#running = look;
      return this.#table.read();
    };
    const look = Promise.resolve().then(begin);
    this.#next = look;
    return look;
  }
}

/** Selects processes from the table; never this process or one of its ancestors. */
function select(table: readonly TableEntry[], { mark, roots = [] }: MarkedSelection): readonly TableEntry[] {
  const children = new Map<number, TableEntry[]>();
  for (const entry of table) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  const chosen = new Map<number, TableEntry>();
  const choose = (entry: TableEntry): void => {
    if (chosen.has(entry.pid) || entry.pid <= 1 || entry.pid === process.pid) return;
    chosen.set(entry.pid, entry);
    for (const child of children.get(entry.pid) ?? []) choose(child);
  };
  // A root that is still running after the table was read is the process with that pid in the table.
  const isRoot = new Set(roots.filter(isSameProcess).map(({ pid }) => pid));
  for (const entry of table) if (isRoot.has(entry.pid) || isMarked(entry.environment, mark)) choose(entry);
  return [...chosen.values()];
}

function isMarked(environment: string, mark: string): boolean {
  const text = `\0${environment}\0`;
  return text.includes(`\0${variable}=${mark}\0`) || text.includes(`\0${variable}=${mark}/`);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process exited on its own, or belongs to another user who imitates our mark.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
