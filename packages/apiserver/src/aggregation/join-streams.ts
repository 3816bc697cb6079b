import type { Duplex } from 'node:stream';
import { type ApiRequest, type ApiResponse, hijacked } from '../http/api-request.ts';
import type { SwitchedProtocols } from './backend.ts';

/**
 * Connects the streams of a client and a server that agreed to switch protocols. Data flows both ways, and both streams
 * end together. If the client has already disconnected, the server's stream is closed.
 */
export function joinStreams(request: ApiRequest, { message, stream, head }: SwitchedProtocols): ApiResponse {
  const client = request.upgrade?.();
  if (client === undefined) throw new Error('the server switched protocols, but the client did not request an upgrade');
  // A stream that is already closed emits no second close event.
  if (client.stream.destroyed || stream.destroyed) {
    stream.destroy();
    client.stream.destroy();
    return hijacked;
  }
  const lines = [`HTTP/1.1 101 Switching Protocols`];
  for (let i = 0; i < message.rawHeaders.length; i += 2)
    lines.push(`${message.rawHeaders[i]}: ${message.rawHeaders[i + 1]}`);
  client.stream.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) client.stream.write(head);
  if (client.head.length > 0) stream.write(client.head);
  pass(client.stream, stream);
  pass(stream, client.stream);
  return hijacked;
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => to.destroy()); // the other end notices when its stream is destroyed
  from.on('close', () => {
    // A slow reader may not have received all data yet.
    if (from.readableEnded && !to.writableFinished) to.once('finish', () => to.destroy());
    else to.destroy();
  });
  from.pipe(to);
}
