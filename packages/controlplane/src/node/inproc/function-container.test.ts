import { sleep, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ContainerRequest } from '../driver.ts';
import { type ContainerFunction, FunctionContainer } from './function-container.ts';
import { InProcessNetwork } from './in-process-network.ts';
import { MemoryFiles } from './memory-files.ts';

describe('FunctionContainer', () => {
  function start(run: ContainerFunction) {
    const clock = new VirtualClock(0);
    const network = new InProcessNetwork();
    let log = '';
    const request: ContainerRequest = {
      podUid: 'u',
      namespace: 'default',
      podName: 'p',
      podIP: '10.0.0.1',
      containerName: 'c',
      attempt: 0,
      image: { image: 'i', imageId: 'i' },
      command: ['a'],
      args: ['b'],
      workingDir: undefined,
      env: new Map(),
      mounts: [],
      securityContext: {},
      ports: [],
      stdin: 'none',
      tty: false,
      output: {
        write: (_stream, chunk) => {
          log += Buffer.from(chunk).toString();
        },
      },
    };
    const container = new FunctionContainer({ id: 'x', run, request, clock, network, files: new MemoryFiles() });
    return { clock, network, container, log: () => log };
  }

  it('waits on the injected clock, and returns the exit code', async () => {
    const { clock, container, log } = start(async ({ clock: own, print, args }) => {
      await sleep(own, { ms: 3_600_000 });
      print(`${args.join()} at ${own.now()}`);
      return 4;
    });
    await clock.advance(3_600_000);
    expect(await container.exited).toEqual({ exitCode: 4, reason: 'Error', finishedAtMs: 3_600_000 });
    expect(log()).toBe('a,b at 3600000\n');
  });

  it('stops on the signal within the grace period', async () => {
    const { container } = start(async ({ clock, signal }) => sleep(clock, { ms: 1_000, signal }));
    expect(await container.stop({ graceMs: 30_000 })).toMatchObject({ exitCode: 143, reason: 'Error' });
  });

  it('does nothing after its end, even if it was killed while it waited', async () => {
    const { clock, container, network, log } = start(async (own) => {
      own.network.listen(80, () => undefined);
      await sleep(own.clock, { ms: 10_000 });
      own.print('too late');
    });
    await clock.advance(0);
    expect(network.connect({ host: '10.0.0.1', port: 80 }).destroyed).toBe(false);
    const stopped = container.stop({ graceMs: 1_000 });
    await clock.advance(1_000);
    expect(await stopped).toMatchObject({ exitCode: 137, signal: 9 });
    expect(() => network.connect({ host: '10.0.0.1', port: 80 })).toThrow('connect ECONNREFUSED: 10.0.0.1:80');
    await clock.advance(60_000);
    expect(log()).toBe('');
  });
});
