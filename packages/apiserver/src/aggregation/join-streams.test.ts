import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type ApiRequest, hijacked } from '../http/api-request.ts';
import { joinStreams } from './join-streams.ts';

const message = { rawHeaders: ['Connection', 'Upgrade', 'Upgrade', 'echo'] } as IncomingMessage; // only this field is read
const head = Buffer.alloc(0);

function join(client: Duplex, stream: Duplex): void {
  const request = { upgrade: () => ({ stream: client, head }) } as unknown as ApiRequest; // only this field is read
  expect(joinStreams(request, { message, stream, head })).toBe(hijacked);
}

/** Reads a stream to its end, without closing its other direction. */
async function textOf(stream: Duplex): Promise<string> {
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(stream, 'end');
  return text;
}

describe('joinStreams', () => {
  it('passes data on in both directions until both sides have ended', async () => {
    const [user, client] = duplexPair();
    const [stream, backend] = duplexPair();
    join(client, stream);
    user.end('question');
    expect(await textOf(backend)).toBe('question');
    backend.end('answer');
    expect(await textOf(user)).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nanswer',
    );
    await expect.poll(() => [client.destroyed, stream.destroyed]).toEqual([true, true]);
  });

  it('closes the stream of the server if the client disconnects before or after joining', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await once(gone, 'close');
    const first = new PassThrough();
    join(gone, first);
    expect(first.destroyed).toBe(true);

    const [client, second] = [new PassThrough(), new PassThrough()];
    join(client, second);
    client.destroy();
    await once(second, 'close');
  });

  it('closes the stream of the client if the server disconnects before or after joining', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await once(gone, 'close');
    const first = new PassThrough();
    join(first, gone);
    expect(first.destroyed).toBe(true);

    const [client, stream] = [new PassThrough(), new PassThrough()];
    join(client, stream);
    stream.destroy(new Error('reset'));
    await once(client, 'close');
  });

  it('delivers all data of a server that closes its stream while the client reads slowly', async () => {
    const [user, client] = duplexPair();
    const [stream, backend] = duplexPair();
    join(client, stream);
    user.end();
    backend.resume();
    const bytes = 1_000_000;
    backend.end(Buffer.alloc(bytes));
    await once(stream, 'close');
    const received = await textOf(user);
    expect(received.length - received.indexOf('\r\n\r\n') - 4).toBe(bytes);
  });
});
