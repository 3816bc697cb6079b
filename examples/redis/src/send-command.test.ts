import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendCommand } from './send-command.ts';

/** Replies as Redis does. */
const replies: Readonly<Record<string, string>> = {
  PING: '+PONG\r\n',
  'GET name': `$${Buffer.byteLength('Zoë')}\r\nZoë\r\n`,
  'GET text': '$6\r\n one\r\n\r\n',
  'GET none': '$-1\r\n',
  DBSIZE: ':7\r\n',
  WRONG: '-ERR unknown command\r\n',
};

describe('sendCommand', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('data', async (data) => {
        // One byte at a time, so that characters arrive in parts.
        for (const byte of Buffer.from(replies[data.toString().trim()] ?? '')) {
          socket.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
      });
      socket.on('error', () => undefined); // The client closes the connection after the reply.
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server?.close());
  const send = (command: string) => {
    const { port } = server.address() as AddressInfo;
    return sendCommand('127.0.0.1', command, { signal: AbortSignal.timeout(10_000), port });
  };

  it.each([
    ['PING', 'PONG'],
    ['GET name', 'Zoë'],
    ['GET text', ' one\r\n'],
    ['GET none', ''],
    ['DBSIZE', '7'],
  ])('returns the reply to %s', async (command, reply) => {
    expect(await send(command)).toBe(reply);
  });

  it('reports an error', async () => {
    await expect(send('WRONG')).rejects.toThrow('127.0.0.1 rejected WRONG: ERR unknown command');
  });
});
