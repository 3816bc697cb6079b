import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processesIn } from './processes.ts';
import { build } from './repository.ts';
import { leftovers, Started, stopLimitMs } from './started.ts';
import { isMissing } from './user-shell.ts';

describe('stopping npm start', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-stop-'));
  let cwd: string;
  beforeAll(build, 300_000);
  beforeEach(() => {
    cwd = mkdtempSync(join(base, 'cwd-'));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  async function up(folder: string): Promise<Started> {
    const started = new Started({ cwd: folder });
    await started.ready();
    return started;
  }
  const portOf = (started: Started): number => Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(started.output)?.[1]);

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'stops everything soon after %s',
    async (signal) => {
      await using started = await up(cwd);
      const { sandbox } = started;
      expect(processesIn(sandbox)).not.toEqual([]);
      const { code, afterMs } = await started.stop(signal);
      expect(code).toBe(0);
      expect(afterMs).toBeLessThan(stopLimitMs());
      expect(started.output).toMatch(/\nstopped\n$/);
      expect(leftovers(cwd, sandbox)).toEqual([]);
      expect(await answers(portOf(started))).toBe(false);
      expect(readdirSync(cwd)).toEqual(['.kubewright']);
    },
    300_000,
  );

  it('exits with the code of the signal if --once is interrupted', async () => {
    await using started = new Started({ cwd, flags: ['--once'] });
    await started.printed(/container started/);
    const { sandbox } = started;
    const { code, afterMs } = await started.stop('SIGINT');
    expect(code).toBe(130);
    expect(afterMs).toBeLessThan(stopLimitMs());
    expect(leftovers(cwd, sandbox)).toEqual([]);
  }, 300_000);

  it('cleans up after a killed run, and reuses its address', async () => {
    await using killed = await up(cwd);
    const { sandbox } = killed;
    await killed.stop('SIGKILL');
    expect(processesIn(sandbox)).not.toEqual([]);
    await using again = await up(cwd);
    expect(processesIn(sandbox)).toEqual([]);
    expect(readdirSync(tmpdir())).not.toContain(sandbox.split('/').at(-1));
    expect(portOf(again)).toBe(portOf(killed));
    expect(again.output).toMatch(/Pg Phase: up/);
    const second = again.sandbox;
    await again.stop('SIGINT');
    expect(leftovers(cwd, second)).toEqual([]);
  }, 300_000);

  it.skipIf(isMissing('kubectl'))(
    'stops exec commands in containers of a killed run',
    async () => {
      await using killed = await up(cwd);
      const exec = ['exec', 'postgresql-sample', '--', 'sh', '-c', 'echo $$; trap "" HUP; sleep 3000'];
      const kubectl = spawn('kubectl', ['--kubeconfig', killed.kubeconfig, ...exec], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const pid = Number(await new Promise((resolve) => kubectl.stdout.once('data', resolve)));
      await killed.stop('SIGKILL');
      expect(runs(pid)).toBe(true);
      await using again = await up(cwd);
      await expect.poll(() => runs(pid), { timeout: 120_000 }).toBe(false);
      expect(await again.stop('SIGINT')).toMatchObject({ code: 0 });
    },
    300_000,
  );

  it('rejects a second instance in the same folder, but not in another', async () => {
    await using first = await up(cwd);
    await using second = new Started({ cwd });
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(`(pid ${first.pid})`);
    expect(second.output.trim().split('\n')).toHaveLength(3);
    await using other = await up(mkdtempSync(join(base, 'other-')));
    expect(other.output).toMatch(/Pg Phase: up/);
    expect(await answers(portOf(first))).toBe(true);
  }, 300_000);
});

/** Reports whether a process runs; false for a zombie. */
function runs(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
