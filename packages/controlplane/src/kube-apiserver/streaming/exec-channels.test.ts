import { type Duplex, duplexPair } from 'node:stream';
import { VirtualClock } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { ExecChannels, execProtocols } from './exec-channels.ts';
import type { TerminalSize } from './terminal-sizes.ts';
import { acceptWebSocket } from './web-socket.ts';

/** Opens the streams of a command. Returns them with the client's end of the connection. */
async function connect(protocol = 'v5.channel.k8s.io'): Promise<{
  channels: ExecChannels;
  client: Duplex;
  clock: VirtualClock;
  disconnect: () => void;
  closed: Promise<void>;
}> {
  const clock = new VirtualClock();
  const [client, stream] = duplexPair();
  const headers = {
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': protocol,
  };
  const request = { headers, upgrade: () => ({ stream, head: Buffer.alloc(0), request: { headers, method: 'GET' } }) };
  const { socket, protocol: accepted } = await acceptWebSocket(request as unknown as ApiRequest, execProtocols);
  expect(accepted).toBe(protocol);
  let notify = (): void => {};
  const closed = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const channels = new ExecChannels(socket, { clock, protocol, closed: notify });
  return { channels, client, clock, disconnect: () => stream.destroy(), closed };
}

/** Returns a client's binary message of at most 125 bytes, masked with zeros. */
function message(channel: number, text: string): Buffer {
  const payload = Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
  return Buffer.concat([Buffer.of(0x82, 0x80 | payload.length, 0, 0, 0, 0), payload]);
}

describe('ExecChannels', () => {
  it('resolves queued output when the client disconnects before it is ready', async () => {
    const { channels, disconnect, closed } = await connect();
    const queued = [channels.stdout(Buffer.from('out')), channels.stderr(Buffer.from('err'))];
    disconnect();
    await closed;
    await Promise.all([...queued, channels.stdout(Buffer.from('later'))]);
  });

  it('keeps the newest terminal size when a command reads none', async () => {
    const { channels, client, closed } = await connect();
    for (let columns = 1; columns <= 300; columns++) client.write(message(4, `{"Width":${columns},"Height":24}`));
    client.end();
    client.resume();
    await closed;
    const sizes: TerminalSize[] = [];
    for await (const size of channels.sizes) sizes.push(size);
    expect(sizes.at(-1)).toEqual({ columns: 300, rows: 24 });
    expect(sizes.length).toBeLessThan(300);
  });

  const failed = { status: 'Failure', message: 'exit status 3' } as const;
  it.each([
    ['v5.channel.k8s.io', '\u0001out', `\u0003${JSON.stringify(failed)}`],
    ['v4.channel.k8s.io', '\u0001out', `\u0003${JSON.stringify(failed)}`],
    ['v4.base64.channel.k8s.io', '1b3V0', `3${Buffer.from(JSON.stringify(failed)).toString('base64')}`],
    ['channel.k8s.io', '\u0001out', '\u0003exit status 3'],
    ['base64.channel.k8s.io', '1b3V0', `3${Buffer.from('exit status 3').toString('base64')}`],
  ])('speaks %s', async (protocol, output, status) => {
    const { channels, client, clock } = await connect(protocol);
    const sent = messagesOf(client);
    client.write(
      protocol.includes('base64') ? textMessage(`0${Buffer.from('hi').toString('base64')}`) : message(0, 'hi'),
    );
    const input = channels.stdin[Symbol.asyncIterator]();
    expect(String((await input.next()).value)).toBe('hi');
    await clock.advance(1_000);
    await channels.stdout(Buffer.from('out'));
    channels.end(failed);
    expect((await sent).slice(0, 2)).toEqual([output, status]);
  });

  it('sends no status for a success in version 1', async () => {
    const { channels, client, clock } = await connect('channel.k8s.io');
    const sent = messagesOf(client);
    await clock.advance(1_000);
    channels.end({ status: 'Success' });
    expect(await sent).toEqual([]);
  });
});

function textMessage(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x81, 0x80 | text.length, 0, 0, 0, 0), Buffer.from(text)]);
}

/** Returns the messages that a client receives until the server closes the connection, each of at most 125 bytes. */
async function messagesOf(client: Duplex): Promise<readonly string[]> {
  let bytes = Buffer.alloc(0);
  const messages: string[] = [];
  let isOpen = false;
  for await (const chunk of client) {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isOpen) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) continue;
      isOpen = true;
      bytes = bytes.subarray(end + 4);
    }
    for (let length = 2 + (bytes[1] ?? 0); bytes.length >= length && bytes.length >= 2; length = 2 + (bytes[1] ?? 0)) {
      if ((bytes[0] ?? 0) % 16 === 8) return messages;
      messages.push(bytes.toString('utf8', 2, length));
      bytes = bytes.subarray(length);
    }
  }
  return messages;
}
