import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isSameProcess, type ProcessIdentity, readStat, startTimeByPs } from './process-identity.ts';

/** One process of this machine, as far as this process may see it. */
export interface TableEntry extends ProcessIdentity {
  readonly parent: number;
  /** Its environment, one `NAME=value` after the other; empty where it is somebody else's. */
  readonly environment: string;
}

/** Reads which processes run. */
export interface ProcessTable {
  read(): Promise<readonly TableEntry[]>;
  /** The same at once, for the last moments of a process. */
  readNow(): readonly TableEntry[];
  /** True if that very process still runs. */
  has(identity: ProcessIdentity): boolean;
}

/** The process table of this machine: `/proc` on Linux, `ps` elsewhere, nothing on Windows. */
export function processTable(platform: NodeJS.Platform): ProcessTable {
  if (platform === 'linux') return linuxTable;
  return platform === 'win32' ? { read: async () => [], readNow: () => [], has: () => false } : psTable;
}

/** How many processes are looked at together: enough to be quick, few enough to leave files for others. */
const together = 32;

const linuxTable: ProcessTable = {
  async read() {
    const pids = pidsOf(await readdir('/proc').catch(() => []));
    const entries: (TableEntry | undefined)[] = [];
    for (let first = 0; first < pids.length; first += together) {
      entries.push(...(await Promise.all(pids.slice(first, first + together).map(entryOf))));
    }
    return entries.filter((entry) => entry !== undefined);
  },
  readNow() {
    const pids = pidsOf(orElse([], () => readdirSync('/proc')));
    return pids.flatMap((pid) => {
      const stat = orElse(undefined, () => readFileSync(`/proc/${pid}/stat`, 'latin1'));
      if (stat === undefined) return [];
      return [makeEntry(pid, { stat, environment: orElse('', () => readFileSync(`/proc/${pid}/environ`, 'latin1')) })];
    });
  },
  has: isSameProcess,
};

async function entryOf(pid: number): Promise<TableEntry | undefined> {
  try {
    const [stat, environment] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
    ]);
    return makeEntry(pid, { stat, environment });
  } catch {
    // It has ended since the folder was read.
    return undefined;
  }
}

function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    // It has ended in the meantime, is somebody else's, or there is no /proc in this place.
    return fallback;
  }
}

function pidsOf(entries: readonly string[]): readonly number[] {
  return entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
}

function makeEntry(pid: number, parts: { readonly stat: string; readonly environment: string }): TableEntry {
  return { pid, ...readStat(parts.stat), environment: parts.environment };
}

/** What both the BSDs' and Linux's `ps` understand: all processes, each with its environment behind its command. */
const psArguments = ['axeww', '-o', 'pid=', '-o', 'ppid=', '-o', 'lstart=', '-o', 'command='];
const psLimits = { maxBuffer: 64 * 1024 * 1024, timeout: 5_000, encoding: 'utf8' } as const;

/** Shows environments of one's own processes only, and on macOS not those of the system's own programs. */
export const psTable: ProcessTable = {
  async read() {
    // Without `ps` there is nothing to be seen; what ends groups of processes does its work all the same.
    const { stdout } = await promisify(execFile)('ps', psArguments, psLimits).catch(() => ({ stdout: '' }));
    return psEntries(stdout);
  },
  readNow: () => psEntries(spawnSync('ps', psArguments, psLimits).stdout ?? ''),
  has: ({ pid, started }) => startTimeByPs(pid) === started,
};

function psEntries(text: string): readonly TableEntry[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line);
    if (!match) return [];
    const [, pid, parent, started = '', command = ''] = match;
    return [{ pid: Number(pid), parent: Number(parent), started, environment: command.replaceAll(' ', '\0') }];
  });
}
