import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EarlyStop } from './early-stop.mjs';

describe('EarlyStop', () => {
  it('remembers the first signal, as shells count', async () => {
    const process = new EventEmitter();
    using early = new EarlyStop(process);
    expect(await early.asked()).toBe(0);
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(await early.asked()).toBe(130);
  });

  it('handles a real signal that arrived while the loop was blocked, at any point of the loop', () => {
    const module = new URL('./early-stop.mjs', import.meta.url).href;
    const program = `
      import { readFile } from 'node:fs/promises';
      const { EarlyStop } = await import(${JSON.stringify(module)});
      const early = new EarlyStop(process);
      // From here the loop continues after the point where it handles signals.
      await readFile(new URL(${JSON.stringify(module)}));
      // By this thread itself: a kernel may hand another's signal to any thread, at its leisure.
      process.kill(process.pid, 'SIGTERM');
      console.log(await early.asked());
      early[Symbol.dispose]();`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(stdout).toBe('143\n');
  });

  it('removes its signal handlers', () => {
    const process = new EventEmitter();
    new EarlyStop(process)[Symbol.dispose]();
    expect(process.eventNames()).toEqual([]);
  });
});
