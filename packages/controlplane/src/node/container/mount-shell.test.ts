import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('fails if the shell cannot start', async () => {
    using missing = new MountShell(['/does/not/exist']);
    await expect(missing.run(['true'])).rejects.toThrow('ENOENT');
  });

  it('starts again after the shell has ended', async () => {
    await expect(shell.run(['sh', '-c', 'kill -KILL 0'])).rejects.toThrow('the shell has ended');
    await shell.run(['true']);
  });

  it('ends its commands when it is disposed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-shell-'));
    const pipe = join(folder, 'pipe');
    try {
      const disposed = new MountShell(['/bin/sh']);
      // The command has started once it opens the pipe for writing.
      await disposed.run(['mkfifo', pipe]);
      const running = disposed.run(['sh', '-c', `exec > '${pipe}'; sleep 60`]);
      const opened = await open(pipe, 'r');
      disposed[Symbol.dispose]();
      await expect(running).rejects.toThrow('the shell has ended');
      await expect(disposed.run(['true'])).rejects.toThrow('the shell has ended');
      // The end of the file: the command no longer has it open.
      expect((await opened.read(Buffer.alloc(1), 0, 1)).bytesRead).toBe(0);
      await opened.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
