import { type Duplex, duplexPair } from 'node:stream';
import { VirtualClock } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { ExecChannels, execProtocols } from './exec-channels.ts';
import type { TerminalSize } from './terminal-sizes.ts';
import { acceptWebSocket } from './web-socket.ts';

/** Opens the streams of a command. Returns them with the client's end of the connection. */
async function connect(): Promise<{
  channels: ExecChannels;
  client: Duplex;
  disconnect: () => void;
  closed: Promise<void>;
}> {
  const [client, stream] = duplexPair();
  const headers = {
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': execProtocols.join(','),
  };
  const request = { headers, upgrade: () => ({ stream, head: Buffer.alloc(0), request: { headers, method: 'GET' } }) };
  const { socket } = await acceptWebSocket(request as unknown as ApiRequest, execProtocols);
  let notify = (): void => {};
  const closed = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const channels = new ExecChannels(socket, { clock: new VirtualClock(), closed: notify });
  return { channels, client, disconnect: () => stream.destroy(), closed };
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
});
