import { describe, expect, it } from 'vitest';
import { processConfig } from './process-config.ts';

const ofPod = {
  command: undefined,
  args: undefined,
  env: new Map<string, string>(),
  workingDir: undefined,
  podName: 'web-0',
  tty: false,
  home: '/root',
};

describe('processConfig', () => {
  const config = { Entrypoint: ['/entry'], Cmd: ['serve'], Env: ['PATH=/own', 'A=x=y'], WorkingDir: '/srv' };

  it.each([
    ['the image alone', {}, ['/entry', 'serve']],
    ['arguments', { args: ['check'] }, ['/entry', 'check']],
    ['a command', { command: ['sh'] }, ['sh']],
    ['both', { command: ['sh'], args: ['-c', 'true'] }, ['sh', '-c', 'true']],
    ['empty lists', { command: [], args: [] }, ['/entry', 'serve']],
  ])('combines the command with %s', (_, own, expected) => {
    expect(processConfig({ config }, { ...ofPod, ...own }).command).toEqual(expected);
  });

  it('prefers variables of the pod, then of the image, then of the runtime', () => {
    const { env } = processConfig({ config }, { ...ofPod, tty: true, env: new Map([['A', 'pod']]) });
    expect(env).toEqual({ PATH: '/own', HOSTNAME: 'web-0', HOME: '/root', TERM: 'xterm', A: 'pod' });
    expect(processConfig({ config }, ofPod).env).toMatchObject({ A: 'x=y' });
  });

  it.each([
    [{}, '/srv'],
    [{ workingDir: '/other' }, '/other'],
  ])('chooses the working folder with %j', (own, expected) => {
    expect(processConfig({ config }, { ...ofPod, ...own }).workingDir).toBe(expected);
  });

  it('rejects a container without a command, as a container runtime does', () => {
    expect(() => processConfig({}, ofPod)).toThrow('no command specified');
  });
});
