import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { silentLogger as log } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signalsFor } from './changed-files.ts';
import type { PoolerFiles } from './pooler-files.ts';
import { PoolerManager } from './pooler-manager.ts';

const files: PoolerFiles = {
  'pgbouncer.ini': '[pgbouncer]\n',
  paused: 'false',
  'ca.crt': '',
  'server.crt': '',
  'server.key': '',
  'client.crt': '',
  'client.key': '',
};

describe('signalsFor', () => {
  const paused = { ...files, paused: 'true' };

  it.each<[string, PoolerFiles | undefined, PoolerFiles, readonly string[]]>([
    ['nothing if no file has changed', files, files, []],
    ['a reload for renewed certificates', files, { ...files, 'server.crt': 'new' }, ['SIGHUP']],
    ['a pause', files, paused, ['SIGUSR1']],
    ['a resume', paused, files, ['SIGUSR2']],
    ['nothing while it stays paused', paused, paused, []],
    ['a reload, then a pause', files, { ...paused, 'pgbouncer.ini': 'new' }, ['SIGHUP', 'SIGUSR1']],
    ['a pause to a new process', undefined, paused, ['SIGUSR1']],
  ])('sends %s', (_, before, now, signals) => {
    expect(signalsFor(before, now)).toEqual(signals);
  });
});

describe('PoolerManager', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pooler-test-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (program: string) =>
    new PoolerManager({ address: '127.0.0.1', folder, env: process.env, program, clock: systemClock, log }).run(
      new AbortController().signal,
    );

  it('reports that the program is not installed', async () => {
    await expect(run('pgbouncer-is-missing')).rejects.toThrow(
      'cannot start pgbouncer: the program is not installed; install the package pgbouncer',
    );
  });

  it('reports that the program exited', async () => {
    await expect(run('false')).rejects.toThrow('PgBouncer exited unexpectedly: exit code 1');
  });
});
