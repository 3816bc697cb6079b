import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hostSockets } from './sockets.ts';
import { TcpForwarder } from './tcp-forwarder.ts';

const host = '127.0.0.1';
const megabytes = randomBytes(8_000_000);
const digest = (chunks: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
};

// Connections to targets either pass their data to `onread`, or emit it as on the network of pods.
describe.each([true, false])('TcpForwarder, with onread: %s', (usesOnread) => {
  const open = new Set<{ destroy(): void } | Disposable>();
  afterEach(() => {
    for (const each of open) 'destroy' in each ? each.destroy() : each[Symbol.dispose]();
    open.clear();
  });

  /** Starts a server and a forwarder to it, and connects a client. */
  async function connected(serve: (socket: Socket) => void): Promise<Socket> {
    const target = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket.on('error', () => undefined));
      serve(socket);
    });
    const { port } = await listening(target);
    open.add({ [Symbol.dispose]: () => void target.close() });
    const server = await hostSockets.listen({ host, port: 0 });
    open.add(
      new TcpForwarder({
        server,
        open: (_, onread) => hostSockets.connect({ host, port }, usesOnread ? { onread } : {}),
      }),
    );
    const own = server.address() as { port: number };
    const client = connect({ host, port: own.port, allowHalfOpen: true });
    open.add(client.on('error', () => undefined));
    await once(client, 'connect');
    return client;
  }
  async function listening(server: Server): Promise<{ port: number }> {
    server.listen(0, host);
    await once(server, 'listening');
    return server.address() as { port: number };
  }

  it('delivers data unchanged, in both directions, to slow readers', async () => {
    const received: Buffer[] = [];
    const client = await connected((socket) => {
      socket.end(megabytes);
      socket.on('data', async (chunk) => {
        received.push(chunk);
        socket.pause();
        await turn();
        socket.resume();
      });
    });
    client.end(megabytes);
    const back: Uint8Array[] = [];
    for await (const chunk of client) {
      back.push(chunk);
      await turn();
    }
    expect(digest(back)).toBe(digest([megabytes]));
    await expect.poll(() => Buffer.concat(received).length).toBe(megabytes.length);
    expect(digest(received)).toBe(digest([megabytes]));
  });

  it('stops reading while the client does not read, and continues then', { timeout: 30_000 }, async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1_000_000);
    const total = 100_000_000;
    const client = await connected((socket) => {
      const send = (): void => {
        while (sent < total) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
        socket.end();
      };
      socket.on('drain', send);
      send();
    });
    client.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const same = sent === before;
          before = sent;
          return same;
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(true);
    // Only what the system's buffers take.
    expect(sent).toBeLessThan(total / 2);
    let received = 0;
    client.on('data', (data) => {
      received += data.length;
    });
    client.resume();
    await once(client, 'end');
    expect(received).toBe(total);
  });

  it('delivers everything that a client has sent before it disconnected', async () => {
    let received = 0;
    let hasEnded = false;
    const client = await connected((socket) => {
      // The server says that it sends nothing before it has read anything.
      socket.end();
      socket.on('data', async (chunk) => {
        received += chunk.length;
        socket.pause();
        await turn();
        socket.resume();
      });
      socket.on('end', () => {
        hasEnded = true;
      });
    });
    client.resume().end(megabytes);
    await once(client, 'close');
    await expect.poll(() => hasEnded, { timeout: 10_000 }).toBe(true);
    expect(received).toBe(megabytes.length);
  });

  it('disconnects a client whose target breaks the connection, and a target whose client does', async () => {
    const client = await connected((socket) => socket.once('data', () => socket.resetAndDestroy()));
    client.resume().write('x');
    await once(client, 'end');
    let hasEnded = false;
    const other = await connected((socket) => {
      socket.resume().once('end', () => {
        hasEnded = true;
      });
      socket.write('x');
    });
    await once(other, 'data');
    other.resetAndDestroy();
    await expect.poll(() => hasEnded).toBe(true);
  });
});
