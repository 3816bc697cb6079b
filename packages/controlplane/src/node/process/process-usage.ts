import { readdir, readFile } from 'node:fs/promises';

/** The processor time that processes have used so far, and the memory that they use now. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

interface Entry {
  readonly parent: number;
  /** Ticks of the process and of its children that have ended. */
  readonly ticks: number;
  readonly pages: number;
}

/**
 * Linux reports times in hundredths of a second on all architectures, and memory in pages, which are 4 KiB on almost
 * all architectures.
 */
const [ticksPerSecond, pageBytes] = [100, 4_096];
/** Number of processes read in parallel, few enough to leave file descriptors for others. */
const parallelReads = 32;

/** Returns the summed usage of processes and their descendants. */
export async function processUsages(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessUsage>> {
  if (pids.length === 0) return new Map();
  const entries = new Map<number, Entry>();
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  for (let first = 0; first < all.length; first += parallelReads) {
    const texts = await Promise.all(all.slice(first, first + parallelReads).map(readEntry));
    for (const { pid, text } of texts) if (text !== undefined) entries.set(pid, parseEntry(text));
  }
  return usagesIn(entries, pids);
}

/** Adds up the usage of processes with their descendants. */
export function usagesIn(
  entries: ReadonlyMap<number, Entry>,
  pids: readonly number[],
): ReadonlyMap<number, ProcessUsage> {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of entries) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  const usages = new Map<number, ProcessUsage>();
  for (const root of pids) {
    if (!entries.has(root)) continue;
    let [ticks, pages] = [0, 0];
    for (const pending = [root]; pending.length > 0; ) {
      const pid = pending.pop() ?? root;
      const entry = entries.get(pid);
      ticks += entry?.ticks ?? 0;
      pages += entry?.pages ?? 0;
      pending.push(...(children.get(pid) ?? []));
    }
    usages.set(root, { cpuSeconds: ticks / ticksPerSecond, memoryBytes: pages * pageBytes });
  }
  return usages;
}

/** Parses `/proc/PID/stat`. */
export function parseEntry(stat: string): Entry {
  // The command name comes second and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index] ?? 0);
  // Fields 11 to 14 are utime, stime, cutime and cstime; field 21 is rss.
  return { parent: number(1), ticks: number(11) + number(12) + number(13) + number(14), pages: number(21) };
}

async function readEntry(pid: number): Promise<{ readonly pid: number; readonly text: string | undefined }> {
  // The process may end in the meantime.
  return { pid, text: await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined) };
}
