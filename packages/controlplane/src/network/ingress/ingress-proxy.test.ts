import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Sockets } from '../sockets.ts';
import { IngressProxy, type IngressProxyOptions } from './ingress-proxy.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port }; // listens on TCP
}

describe('IngressProxy', () => {
  it.each([
    ['request', ''],
    ['WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ])(
    'closes the connection to the endpoint if the client of a %s disconnected before it was open',
    async (_what, headers) => {
      const backend = await listen();
      const front = await listen();
      let open: (socket: Socket) => void = () => {};
      const opened = new Promise<Socket>((resolve) => {
        open = resolve;
      });
      let asked: () => void = () => {};
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const sockets: Pick<Sockets, 'connect'> = {
        connect: () => {
          asked();
          return opened;
        },
      };
      const table = { find: () => ({ target: {} }) };
      const endpoints = () => [{ host: '127.0.0.1', port: backend.port }];
      // The test needs no other options.
      using _proxy = new IngressProxy({
        listener: front.server,
        sockets,
        table,
        endpoints,
      } as unknown as IngressProxyOptions);
      const client = connect(front.port, '127.0.0.1');
      client.write(`GET / HTTP/1.1\r\nHost: web.example.com\r\n${headers}\r\n`);
      await isAsked;
      client.destroy();
      const connections = (): Promise<number> =>
        new Promise((resolve, reject) =>
          front.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
        );
      await expect.poll(connections, { timeout: 30_000 }).toBe(0);
      const socket = connect(backend.port, '127.0.0.1');
      await once(socket, 'connect');
      open(socket);
      await expect.poll(() => socket.destroyed, { timeout: 30_000 }).toBe(true);
    },
  );
});
