import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SocketAddress } from '../sockets.ts';
import { StreamMessages, withLength } from './stream-messages.ts';
import { query } from './testdata/query.ts';
import { machineUpstream } from './upstream.ts';

/** Returns an answer to a query, with these flags. */
function answerTo(message: Buffer, { flags = 0x8180, id = message.readUInt16BE(0) } = {}): Buffer {
  const answer = Buffer.from(message);
  answer.writeUInt16BE(id, 0);
  answer.writeUInt16BE(flags, 2);
  return answer;
}

/** Listens on a free TCP port, and on the same port for datagrams. */
async function listen(stream: Server): Promise<{ readonly datagrams: DatagramSocket; readonly server: SocketAddress }> {
  for (;;) {
    await once(stream.listen(0, '127.0.0.1'), 'listening');
    const server = { host: '127.0.0.1', port: (stream.address() as AddressInfo).port };
    const datagrams = createSocket('udp4');
    const bound = once(datagrams.bind(server.port, server.host), 'listening');
    if (await bound.then(Boolean, () => false)) return { datagrams, server };
    // Another program has taken the port for datagrams.
    await new Promise((resolve) => stream.close(resolve));
  }
}

describe('machineUpstream', () => {
  const truncated = { flags: 0x8380 };
  let clock: VirtualClock;
  let datagrams: DatagramSocket;
  let stream: Server;
  let server: SocketAddress;
  let heard: Buffer[];
  /** Returns the datagrams that the server sends for a query. */
  let reply: (message: Buffer) => readonly Buffer[];
  beforeEach(async () => {
    clock = new VirtualClock();
    heard = [];
    reply = (message) => [answerTo(message)];
    stream = createServer((socket) => {
      const messages = new StreamMessages();
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        for (const message of messages.add(chunk)) socket.write(withLength(answerTo(message, { flags: 0x8580 })));
      });
    });
    ({ datagrams, server } = await listen(stream));
    datagrams.on('message', (message, { port, address }) => {
      heard.push(message);
      for (const answer of reply(message)) datagrams.send(answer, port, address);
    });
  });
  afterEach(() => {
    datagrams.close();
    stream.close();
  });
  const start = (servers: readonly SocketAddress[] = [server]) =>
    machineUpstream({ clock, random: seededRandom(7), servers: () => servers, maxWaiting: 3 });
  const asked = query('example.com', 7);
  const overUdp = { isStream: false };

  it("queries with its own id and responds with the client's id", async () => {
    const upstream = start();
    const answers = [await upstream(asked, overUdp), await upstream(asked, overUdp)];
    expect(answers).toEqual([answerTo(asked), answerTo(asked)]);
    const ids = heard.map((message) => message.readUInt16BE(0));
    expect(new Set([7, ...ids]).size).toBe(3);
  });

  it('ignores answers to other questions, with other ids, and queries', async () => {
    reply = (message) => [
      answerTo(message, { id: message.readUInt16BE(0) ^ 1 }),
      answerTo(query('example.org', message.readUInt16BE(0))),
      message,
      Buffer.from([1, 2]),
      answerTo(message, { flags: 0x8181 }),
    ];
    expect(await start()(asked, overUdp)).toEqual(answerTo(asked, { flags: 0x8181 }));
  });

  it('accepts names in a different case', async () => {
    reply = (message) => [answerTo(query('EXAMPLE.com', message.readUInt16BE(0)))];
    expect(await start()(asked, overUdp)).toEqual(answerTo(query('EXAMPLE.com', 7)));
  });

  it('ignores answers from other servers', async () => {
    const other = createSocket('udp4');
    let port = 0;
    datagrams.on('message', (message, from) => {
      ({ port } = from);
      other.send(answerTo(message, { flags: 0x8181 }), from.port, from.address, () => {
        datagrams.send(answerTo(message), from.port, from.address);
      });
    });
    reply = () => [];
    expect(await start()(asked, overUdp)).toEqual(answerTo(asked));
    expect(port).not.toBe(0);
    other.close();
  });

  it('repeats the query over TCP if an answer is truncated and the client uses TCP', async () => {
    reply = (message) => [answerTo(message, truncated)];
    expect(await start()(asked, { isStream: true })).toEqual(answerTo(asked, { flags: 0x8580 }));
    expect(await start()(asked, overUdp)).toEqual(answerTo(asked, truncated));
  });

  it('queries the next server if one does not answer', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const answer = start([{ host: '127.0.0.1', port: silent.address().port }, server])(asked, overUdp);
    await once(silent, 'message');
    await clock.advance(2_000);
    expect(await answer).toEqual(answerTo(asked));
    silent.close();
  });

  it('limits the number of waiting queries, and refuses more', async () => {
    reply = () => [];
    const upstream = start();
    const waiting = Array.from({ length: 3 }, () => upstream(asked, overUdp).catch(() => 'failed'));
    expect(await upstream(asked, overUdp)).toBeUndefined();
    await clock.advance(2_000);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['failed']));
    reply = (message) => [answerTo(message)];
    expect(await upstream(asked, overUdp)).toEqual(answerTo(asked));
  });
});
