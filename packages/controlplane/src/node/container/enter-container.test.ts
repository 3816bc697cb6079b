import { describe, expect, it } from 'vitest';
import { enterContainer } from './enter-container.ts';

describe('enterContainer', () => {
  const join = ['nsenter', '--mount=/proc/7/ns/mnt'];
  const env = { PATH: '/bin', PASSWORD: 'secret', LD_PRELOAD: '/lib/evil.so' };

  it('passes variables that affect the loader only to the command', () => {
    const entered = enterContainer(['ls', '-l'], { join, env, workingDir: '/srv', hasEnv: true });
    expect(entered.words).toEqual([
      ...join,
      '--wdns=/srv',
      '--',
      '/usr/bin/env',
      'LD_PRELOAD=/lib/evil.so',
      'ls',
      '-l',
    ]);
    expect(entered.env).toEqual({ PATH: '/bin', PASSWORD: 'secret' });
  });

  it('drops variables that affect the loader if the container has no env program', () => {
    const { words } = enterContainer(['ls'], { join, env, workingDir: '/', hasEnv: false });
    expect(words).toEqual([...join, '--wdns=/', '--', 'ls']);
  });
});
