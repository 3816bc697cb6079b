import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processesIn } from './processes.ts';
import { build } from './repository.ts';
import { Started } from './started.ts';

describe('npm start', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-once-'));
  let cwd: string;
  /** The temporary folder, used only by this test. */
  let temporary: string;

  beforeAll(build, 300_000);
  beforeEach(() => {
    cwd = mkdtempSync(join(base, 'cwd-'));
    // The name must be short, because the folder contains sockets, whose paths have a limited length.
    temporary = mkdtempSync(join(tmpdir(), 'kw-t-'));
    // If the node agent runs as root, its containers run as other users, which need access.
    chmodSync(temporary, 0o755);
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const start = (...flags: readonly string[]) => new Started({ cwd, flags, env: { TMPDIR: temporary } });

  it('exits with code 0 after --once has seen the sample up, and leaves nothing behind', async () => {
    await using started = start('--once');
    expect(await started.ended).toEqual({ code: 0, signal: null });
    expect(started.output).toMatch(/Pg Phase: up {6}PostgreSQL \d+/);
    expect(started.output.trim().split('\n')).toHaveLength(6);
    expect(readdirSync(cwd)).toEqual(['.kubewright']);
    expect(readdirSync(temporary)).toEqual([]);
    expect(processesIn(temporary)).toEqual([]);
    expect(existsSync(join(cwd, '.kubewright', 'instance.json'))).toBe(false);
  }, 120_000);

  it('fails with --once if the server crashes repeatedly, and shows the end of its log', async () => {
    const programs = mkdtempSync(join(base, 'programs-'));
    const script = '#!/bin/sh\ncase "$1" in --version) echo "postgres (PostgreSQL) 17.1"; exit;; esac\n';
    for (const name of ['initdb', 'postgres']) {
      const path = join(programs, name);
      writeFileSync(path, `${script}echo "${name}: the moon is in the wrong phase" >&2\nexit 3\n`, { mode: 0o755 });
    }
    await using started = new Started({ cwd, flags: ['--once'], env: { TMPDIR: temporary, PG_BIN: programs } });
    expect(await started.ended).toEqual({ code: 1, signal: null });
    expect(started.output).toMatch(/ s {2}pod waiting +CrashLoopBackOff\n/);
    const report = started.output.slice(started.output.indexOf('postgresql-sample keeps crashing'));
    expect(report.trim().split('\n')).toEqual([
      'postgresql-sample keeps crashing: container postgres exited with code 1',
      '  why: the log of the container ends with',
      '    | initdb: the moon is in the wrong phase',
      expect.stringMatching(/^ {2}fix: /),
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  }, 120_000);

  it("starts without the sample with --empty, in the article's order", async () => {
    await using started = start('--empty');
    await started.ready();
    expect(started.output).not.toContain('object created');
    const text = started.instructions.join('\n');
    expect(text.indexOf('kubectl get postgresql ')).toBeGreaterThan(0);
    expect(text.indexOf('kubectl get postgresql ')).toBeLessThan(text.indexOf('kubectl apply -f'));
    expect(await started.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  it('lists its flags', async () => {
    await using started = start('--help');
    expect(await started.ended).toEqual({ code: 0, signal: null });
    for (const flag of ['--empty', '--once', '--port', '--allow-root-pods']) expect(started.output).toContain(flag);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('rejects an unknown flag with exit code 2', async () => {
    await using started = start('--wat');
    expect(await started.ended).toEqual({ code: 2, signal: null });
    expect(started.output).toContain("'--wat'");
    expect(started.output).toContain('--empty');
  });

  it('reports a port in use in three lines, and releases the folder', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    await using started = start('--port', String(port));
    expect(await started.ended).toEqual({ code: 1, signal: null });
    expect(started.output.trim().split('\n')).toHaveLength(3);
    expect(started.output).toContain(`127.0.0.1:${port}`);
    expect(existsSync(join(cwd, '.kubewright', 'instance.json'))).toBe(false);
    server.close();
  });
});
