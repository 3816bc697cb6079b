import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MountShell } from './mount-shell.ts';

describe.skipIf(process.platform === 'win32')('MountShell', () => {
  let shell: MountShell;
  beforeAll(() => {
    shell = new MountShell(['/bin/sh']);
  });
  afterAll(() => shell[Symbol.dispose]());

  it('runs commands one after the other, until one fails, and reports its output', async () => {
    await shell.run(['true'], ['test', "it's $HOME", '=', "it's $HOME"]);
    await expect(shell.run(['sh', '-c', 'echo "two  words *" >&2; echo below >&2; exit 3'], ['false'])).rejects.toThrow(
      /^two words \* below$/,
    );
    await expect(shell.run(['sh', '-c', 'exit 3'])).rejects.toThrow('a program ended with code 3');
    await expect(shell.run(['echo', 'a\nb'])).rejects.toThrow('a path contains a line break');
  });

  it('runs commands of several callers at the same time', async () => {
    const order: string[] = [];
    const run = async (name: string, seconds: string) => {
      await shell.run(['sleep', seconds]);
      order.push(name);
    };
    await Promise.all([run('slow', '0.3'), run('fast', '0')]);
    expect(order).toEqual(['fast', 'slow']);
  });

  it('fails if the shell cannot start or has ended', async () => {
    using missing = new MountShell(['/does/not/exist']);
    await expect(missing.run(['true'])).rejects.toThrow('ENOENT');
    const ended = new MountShell(['/bin/sh']);
    const running = ended.run(['sleep', '5']);
    ended[Symbol.dispose]();
    await expect(running).rejects.toThrow('the shell has ended');
    await expect(ended.run(['true'])).rejects.toThrow('the shell has ended');
  });
});
