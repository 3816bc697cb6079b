import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isSameProcess, type ProcessIdentity, readStat, startTimeByPs } from './process-identity.ts';

/** A process of this machine, as seen by this process. */
export interface TableEntry extends ProcessIdentity {
  readonly parent: number;
  /** The process's environment as consecutive `NAME=value` entries; empty for a process of another user. */
  readonly environment: string;
}

/** Reads the running processes. */
export interface ProcessTable {
  read(): Promise<readonly TableEntry[]>;
  /** Like {@link ProcessTable.read}, but synchronous: for use when this process exits. */
  readNow(): readonly TableEntry[];
  /** True if the identified process is still running. */
  has(identity: ProcessIdentity): boolean;
}

/**
 * Returns the process table of this machine, from `/proc` on Linux and from `ps` elsewhere; always empty on Windows.
 */
export function processTable(platform: NodeJS.Platform): ProcessTable {
  if (platform === 'linux') return linuxTable;
  return platform === 'win32' ? { read: async () => [], readNow: () => [], has: () => false } : psTable;
}

/** Number of processes read in parallel: enough to be fast, few enough to leave file descriptors for others. */
const parallelReads = 32;

const linuxTable: ProcessTable = {
  async read() {
    const pids = pidsOf(await readdir('/proc').catch(() => []));
    const entries: (TableEntry | undefined)[] = [];
    for (let first = 0; first < pids.length; first += parallelReads) {
      entries.push(...(await Promise.all(pids.slice(first, first + parallelReads).map(entryOf))));
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
    // The process ended after the folder was read.
    return undefined;
  }
}

function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    // The process ended in the meantime or belongs to another user, or this system has no /proc.
    return fallback;
  }
}

function pidsOf(entries: readonly string[]): readonly number[] {
  return entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
}

function makeEntry(pid: number, parts: { readonly stat: string; readonly environment: string }): TableEntry {
  const { parent, started } = readStat(parts.stat);
  return { pid, parent, started, environment: parts.environment };
}

/** Arguments understood by `ps` of both BSD and Linux: all processes, with their environment after the command. */
const psArguments = ['axeww', '-o', 'pid=', '-o', 'ppid=', '-o', 'lstart=', '-o', 'command='];
const psLimits = { maxBuffer: 64 * 1024 * 1024, timeout: 5_000, encoding: 'utf8' } as const;

/**
 * A process table read with `ps`. It includes environments only of the user's own processes, and on macOS not of the
 * system's programs.
 */
export const psTable: ProcessTable = {
  async read() {
    // Without `ps` no processes are visible; killing process groups still works.
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
