import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpawnRequest } from './config-environment.ts';
import { nodeSpawner } from './node-spawner.ts';

/**
 * Accepts connections from the processes that programs leave running with their output open. Such a process lives as
 * long as its connection.
 */
let server: Server;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
});

const program = (command: string, args: readonly string[], signal = new AbortController().signal): SpawnRequest => ({
  command,
  args,
  env: process.env,
  interactive: false,
  signal,
  maxOutputBytes: 1 << 20,
});

/** Returns the request for a shell that starts a process connected to the server, and then runs `rest`. */
function withChild(rest: string, signal?: AbortSignal): SpawnRequest {
  const { port } = server.address() as AddressInfo;
  const child = `require("node:net").connect(${port}, "127.0.0.1").resume().on("close", () => process.exit())`;
  return program('sh', ['-c', `'${process.execPath}' -e '${child}' & ${rest}`], signal);
}

async function connection(): Promise<Socket> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket.resume();
}

describe('nodeSpawner', () => {
  it('kills a program that writes endlessly', async () => {
    const result = await nodeSpawner.run(
      program(process.execPath, ['-e', 'for (;;) require("node:fs").writeSync(1, "x".repeat(65536))']),
    );
    expect(result.exitCode).toBeNull();
    expect(result.stdout.length).toBeLessThanOrEqual(1 << 20);
  });

  it.skipIf(process.platform === 'win32')('kills the child processes of a program too', async () => {
    const stop = new AbortController();
    const connected = connection();
    const run = nodeSpawner.run(withChild('wait', stop.signal));
    const child = await connected;
    const killed = once(child, 'close');
    child.on('error', () => {});
    stop.abort();
    expect((await run).exitCode).toBeNull();
    await killed;
  });

  it.skipIf(process.platform === 'win32')(
    'returns when the program ends, even if its child holds the output open',
    async () => {
      const connected = connection();
      expect(await nodeSpawner.run(withChild('echo answer'))).toEqual({ exitCode: 0, stdout: 'answer\n', stderr: '' });
      const child = await connected;
      expect(child.destroyed).toBe(false);
      child.end();
    },
  );
});
