import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { MarkedProcesses } from './marked-processes.ts';
import { ProcessContainer } from './process-container.ts';
import { ProcessJournal } from './process-journal.ts';
import { processTable } from './process-table.ts';
import { ProcessTerminal } from './process-terminal.ts';

describe.skipIf(process.platform !== 'linux')('a terminal', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });

  /** Starts a shell that leads its own session and has a fourth stream, like the program that holds a terminal. */
  function start(line: string): ChildProcess & { readonly pid: number } {
    const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    const { pid } = child;
    if (pid === undefined) throw new Error('cannot start a shell');
    children.push(child);
    return Object.assign(child, { pid });
  }
  const leaderOf = (line: string) => {
    const noCommands = (): never => {
      throw new Error('starts no commands');
    };
    return new ProcessTerminal(start(line), { start: noCommands }).leader;
  };
  const waits = 'while :; do sleep 1; done';

  it.each(['0', '1', '99999999999999999999'])('has no leader if the container reports pid %s', async (pid) => {
    expect(await leaderOf(`echo "${pid} /dev/pts/0" >&3; ${waits}`)).toBeUndefined();
  });

  it('has no leader if the container reports a process that it did not start', async () => {
    const foreign = start(waits);
    expect(await leaderOf(`echo "${foreign.pid} /dev/pts/0" >&3; ${waits}`)).toBeUndefined();
    expect(await leaderOf(`echo "${process.pid} /dev/pts/0" >&3; ${waits}`)).toBeUndefined();
  });

  it('has no leader if the container reports a process that leads no session', async () => {
    expect(await leaderOf(`sleep 1000 & echo "$! /dev/pts/0" >&3; ${waits}`)).toBeUndefined();
    expect(await leaderOf(`echo "$$ /dev/pts/0" >&3; ${waits}`)).toBeUndefined();
  });

  it('runs one resize at a time, so that the last size wins', async () => {
    // The shell gives background commands an empty input, which would end `cat` immediately.
    const leader = `exec 4<&0; setsid sh -c 'echo "$$ /dev/pts/0" >&3; exec cat' <&4 & wait`;
    const log: string[] = [];
    const terminal = new ProcessTerminal(start(leader), {
      start: (command) => {
        const columns = command[4];
        log.push(`start ${columns}`);
        // The first resize takes longest.
        const resize = spawn('sleep', [log.length === 1 ? '0.2' : '0']);
        return resize.once('exit', () => log.push(`end ${columns}`));
      },
    });
    await terminal.follow(
      (async function* () {
        yield { columns: 92, rows: 30 };
        yield { columns: 91, rows: 29 };
      })(),
    );
    expect(log).toEqual(['start 92', 'end 92', 'start 91', 'end 91']);
  });

  it('does not prevent the container from being stopped if it is never reported', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-terminal-'));
    try {
      const child = start(`trap "" TERM; echo ready; ${waits}`);
      const container = new ProcessContainer({
        id: 'process://1',
        child,
        stopSignal: 'SIGTERM',
        clock: systemClock,
        stdinOnce: false,
        onTerminal: true,
        spawnBeside: () => start(waits),
        journal: new ProcessJournal(join(folder, 'processes.json'), {
          instance: 'b'.repeat(32),
          marked: new MarkedProcesses(processTable(process.platform)),
        }),
        endAll: async () => {},
        endsLeftovers: true,
      });
      if (child.stdout) await once(child.stdout, 'data');
      expect(await container.stop({ graceMs: 50 })).toMatchObject({ exitCode: 137, signal: 9 });
      children.splice(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
