import { TestEnvironment } from '@kubewright/controlplane';
import { Manager, silentLogger } from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { RunningManager } from './running-manager.ts';

/** Resolves when a signal is aborted. */
const once = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('RunningManager', () => {
  it('throws the error that ended the manager when it is disposed', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    let fail: (error: Error) => void = () => undefined;
    const disk = { name: 'disk', run: () => new Promise<void>((_, reject) => (fail = reject)) };
    const stopped = new AbortController();
    const other = { name: 'other', run: (signal: AbortSignal) => once(signal).then(() => stopped.abort()) };
    const { client } = environment;
    const manager = new Manager({ client, runnables: [disk, other], log: silentLogger, handleSignals: false });
    const running = await RunningManager.start(manager);
    fail(new Error('the disk is full'));
    await once(stopped.signal);
    await expect(running[Symbol.asyncDispose]()).rejects.toMatchObject({ cause: { message: 'the disk is full' } });
  });

  it('ends without an error if nothing failed', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    const manager = new Manager({ client: environment.client, log: silentLogger, handleSignals: false });
    const running = await RunningManager.start(manager);
    await expect(running[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });
});
