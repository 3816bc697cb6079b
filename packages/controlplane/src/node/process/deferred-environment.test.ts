import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withDeferredEnvironment } from './deferred-environment.ts';

describe.skipIf(process.platform === 'win32')('withDeferredEnvironment', () => {
  const print = [process.execPath, '-p', 'JSON.stringify([process.env, process.cwd()])'];
  const run = (env: Readonly<Record<string, string>>, sh = '/bin/sh') => {
    const { words, env: before } = withDeferredEnvironment(print, { env, sh, folder: '/' });
    const [file = '', ...args] = words;
    const [after, cwd] = JSON.parse(execFileSync(file, args, { env: before, encoding: 'utf8' })) as [object, string];
    return { after, cwd, before, words };
  };

  it('sets variables that affect other programs only for the command', () => {
    const env = { LD_LIBRARY_PATH: '/lib/evil', NODE_OPTIONS: '--no-warnings', PATH: '/bin', IFS: 'x', ENV: '/f' };
    const { before, after, cwd } = run(env);
    for (const name of Object.keys(env)) expect(before).not.toHaveProperty(name);
    expect(after).toMatchObject(env);
    expect(Object.keys(after).filter((name) => name.startsWith('__'))).toEqual([]);
    expect(cwd).toBe('/');
  });

  it.each(["it's", '$(id) `id` "x" \\', 'two\nlines\n', '', ' '])('passes the value %j unchanged', (value) => {
    expect(run({ A: value, B: 'b' }).after).toMatchObject({ A: value, B: 'b' });
  });

  it('keeps values out of the arguments', () => {
    expect(run({ PASSWORD: 'secret' }).words.join(' ')).not.toContain('secret');
  });

  it.skipIf(!existsSync('/bin/bash'))('passes variables whose names a shell cannot set', () => {
    expect(run({ 'a.b': '1', 'c-d': 'x', A: 'y' }).after).toMatchObject({
      'a.b': '1',
      'c-d': 'x',
      A: 'y',
    });
  });

  it.skipIf(!existsSync('/bin/bash'))('continues after variables that are read-only in the shell', () => {
    expect(run({ UID: '7', PPID: '8', A: '1' }, '/bin/bash').after).toMatchObject({ A: '1' });
  });

  it('fails if the folder is missing', () => {
    const { words } = withDeferredEnvironment(['true'], { env: {}, sh: '/bin/sh', folder: '/missing' });
    const [file = '', ...args] = words;
    expect(() => execFileSync(file, args, { stdio: 'ignore' })).toThrow();
  });
});
