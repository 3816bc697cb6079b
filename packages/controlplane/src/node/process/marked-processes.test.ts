import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { MarkedProcesses } from './marked-processes.ts';
import { endedTime, isSameProcess, processIdentity } from './process-identity.ts';
import { type ProcessTable, processTable, psTable, type TableEntry } from './process-table.ts';

const hasPs = spawnSync('ps', ['axeww']).status === 0;
const tables: (readonly [string, ProcessTable])[] = [['/proc', processTable(process.platform)]];
if (hasPs) tables.push(['ps', psTable]);

describe.each(tables)('MarkedProcesses of %s', (_name, table) => {
  const children: ChildProcess[] = [];
  const marked = new MarkedProcesses(table);
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const start = async (mark: string): Promise<number> => {
    const child = spawn('sleep', ['777'], {
      env: { PATH: process.env['PATH'], ...marked.environment(mark), LAST: 'x' },
      detached: true,
      stdio: 'ignore',
    });
    children.push(child);
    await once(child, 'spawn');
    return child.pid ?? 0;
  };
  const lives = (pid: number): boolean => !['', endedTime].includes(processIdentity(pid).started);

  it('kills only processes with the mark or a mark below it', async () => {
    const [exact, below, longer, other] = await Promise.all(['i/p/c', 'i/p/c/2', 'i/p/c2', 'i/q/c'].map(start));
    await marked.end({ mark: 'i/p/c' });
    await expect
      .poll(() => [exact, below, longer, other].map((pid) => lives(pid ?? 0)))
      .toEqual([false, false, true, true]);
    expect(marked.endNow({ mark: 'i' })).toBe(2);
    await expect.poll(() => lives(longer ?? 0) || lives(other ?? 0)).toBe(false);
  });
});

describe('MarkedProcesses', () => {
  const entry = (pid: number, parent: number, environment = ''): TableEntry => ({
    pid,
    parent,
    environment,
    started: 'never',
  });

  it('never kills itself, process 1, or an unrelated process that reuses a pid', async () => {
    const mark = 'KUBEWRIGHT_CONTAINER=i/p/c';
    const child = spawn('sleep', ['777'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const table = [entry(1, 0, mark), entry(process.pid, 1, mark), entry(child.pid ?? 0, process.pid, mark)];
    const marked = new MarkedProcesses({ read: async () => table, readNow: () => table, has: isSameProcess });
    marked.endNow({ mark: 'i' });
    expect(processIdentity(child.pid ?? 0).started).not.toBe(endedTime);
    child.kill('SIGKILL');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('shares one further table read among all calls made during a read', async () => {
    let looks = 0;
    const ready: (() => void)[] = [];
    const read = async (): Promise<readonly TableEntry[]> => {
      looks++;
      await new Promise<void>((resolve) => ready.push(resolve));
      return [];
    };
    const marked = new MarkedProcesses({ read, readNow: () => [], has: () => true });
    const first = marked.end({ mark: 'a' });
    await expect.poll(() => looks).toBe(1);
    const others = ['b', 'c', 'd'].map((mark) => marked.end({ mark }));
    ready.shift()?.();
    await first;
    await expect.poll(() => looks).toBe(2);
    ready.shift()?.();
    await Promise.all(others);
    expect(looks).toBe(2);
  });
});
