import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarkedProcesses } from './marked-processes.ts';
import { endedTime, processIdentity } from './process-identity.ts';
import { killGroup, killSessions, ProcessJournal } from './process-journal.ts';
import { processTable } from './process-table.ts';

/** Starts a process in its own process group, without recording it in a journal. */
async function startForeign(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('sleep', ['777'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  return child as ChildProcess & { readonly pid: number };
}

describe('ProcessJournal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('reports a failed write and catches up with the next one', () => {
    const faults: unknown[] = [];
    const path = join(folder, 'state', 'processes.json');
    const marked = new MarkedProcesses({ read: async () => [], readNow: () => [], has: () => false });
    const instance = 'f'.repeat(32);
    const journal = new ProcessJournal(path, { instance, marked, onFault: (error) => faults.push(error) });
    journal.add(processIdentity(process.pid));
    expect(faults).toMatchObject([{ code: 'ENOENT' }]);
    renameSync(mkdtempSync(join(folder, 'new-')), join(folder, 'state'));
    journal.add(processIdentity(process.ppid));
    expect(faults).toHaveLength(1);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      instance,
      processes: [{ pid: process.pid }, { pid: process.ppid }],
    });
    journal.remove(process.pid);
    journal.remove(process.ppid);
  });

  it.runIf(process.platform === 'linux')('never kills a process that reuses the pid of a recorded one', async () => {
    const foreign = await startForeign();
    const marked = new MarkedProcesses(processTable(process.platform));
    const journal = new ProcessJournal(join(folder, 'processes.json'), { instance: 'f'.repeat(32), marked });
    journal.add({ pid: foreign.pid, started: 'earlier' });
    journal.killAll();
    killGroup({ pid: foreign.pid, started: 'earlier' }, 'SIGKILL');
    killSessions([{ pid: foreign.pid, started: 'earlier' }]);
    expect(processIdentity(foreign.pid).started).not.toBe(endedTime);
    killSessions([processIdentity(foreign.pid)]);
    expect(await once(foreign, 'exit')).toEqual([null, 'SIGKILL']);
  });

  const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0;
  it.runIf(canChangeUser)('leaves a process that it may not signal, such as a setuid program', async () => {
    const program = spawn('sleep', ['777'], { detached: true, stdio: 'ignore', uid: 65_534 });
    await once(program, 'spawn');
    const leader = processIdentity(program.pid ?? 0);
    process.seteuid?.(1_234);
    try {
      expect(() => process.kill(leader.pid, 'SIGKILL')).toThrow('EPERM');
      killGroup(leader, 'SIGKILL');
      killSessions([leader]);
    } finally {
      process.seteuid?.(0);
    }
    killSessions([leader]);
    expect(await once(program, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
