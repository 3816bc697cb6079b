import { endedTime } from './process-identity.ts';
import type { ProcessTable, TableEntry } from './process-table.ts';

/** Variable that every process of a container has in its environment: `instance/pod's uid/container.attempt`. */
const variable = 'KUBEWRIGHT_CONTAINER';
/** Looks at the table at most; a process that begets another while it is looked at is found by the next look. */
const mostLooks = 20;

/** Which processes are meant: all with a mark or one below it, what descends from them, and more roots. */
export interface MarkedSelection {
  readonly mark: string;
  /** Processes that count with all that descends from them, though they may hide their environment. */
  readonly roots?: readonly number[];
}

/**
 * Finds and ends everything that a container has started, also what left its process group (`setsid`, `nohup`, daemons):
 * children inherit the environment, in which each container has a mark of its own. Only a process that leaves its group
 * and its parent and wipes its environment gets away. Where the system does not show environments (macOS: those of the
 * system's own programs), only descendants and process groups are found.
 */
export class MarkedProcesses {
  readonly #table: ProcessTable;
  #running: Promise<readonly TableEntry[]> | undefined;
  #next: Promise<readonly TableEntry[]> | undefined;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** What a marked process gets into its environment. */
  environment(mark: string): Readonly<Record<string, string>> {
    return { [variable]: mark };
  }

  /** Ends them with SIGKILL; resolves when they have gone, or do not go though they were looked at again and again. */
  async end(selection: MarkedSelection): Promise<void> {
    const ended = new Set<string>();
    for (let look = 0; look < mostLooks; look++) {
      if (this.#killNew(select(await this.#look(), selection), ended).living === 0) return;
    }
  }

  /** The same, without waiting for them to go; answers how many there were. */
  endNow(selection: MarkedSelection): number {
    const ended = new Set<string>();
    for (let look = 0; look < mostLooks; look++) {
      if (this.#killNew(select(this.#table.readNow(), selection), ended).fresh === 0) break;
    }
    return ended.size;
  }

  #killNew(entries: readonly TableEntry[], ended: Set<string>): { readonly living: number; readonly fresh: number } {
    const living = entries.filter(({ started }) => started !== endedTime);
    const fresh = living.filter(({ pid, started }) => !ended.has(`${pid} ${started}`));
    for (const entry of fresh) {
      ended.add(`${entry.pid} ${entry.started}`);
      // Between the look and now the number may have gone to a stranger.
      if (this.#table.has(entry)) kill(entry.pid);
    }
    return { living: living.length, fresh: fresh.length };
  }

  /** One look serves all who asked before it began: a hundred containers that end together do not read the table each. */
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

/** Chooses from the table; never this process itself, nor what it descends from. */
function select(table: readonly TableEntry[], { mark, roots = [] }: MarkedSelection): readonly TableEntry[] {
  const children = new Map<number, TableEntry[]>();
  for (const entry of table) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  const chosen = new Map<number, TableEntry>();
  const choose = (entry: TableEntry): void => {
    if (chosen.has(entry.pid) || entry.pid <= 1 || entry.pid === process.pid) return;
    chosen.set(entry.pid, entry);
    for (const child of children.get(entry.pid) ?? []) choose(child);
  };
  const isRoot = new Set(roots);
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
    // It ended by itself, or is somebody else's: an imitation of our mark.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
