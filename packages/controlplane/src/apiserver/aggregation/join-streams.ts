import type { Duplex } from 'node:stream';
import { type ApiRequest, type ApiResponse, HIJACKED } from '../http/api-request.ts';
import type { SwitchedProtocols } from './backend.ts';

/** Joins a client and the other server that agreed to switch protocols: what one sends, the other gets; they end together. */
export function joinStreams(request: ApiRequest, { message, stream, head }: SwitchedProtocols): ApiResponse {
  const client = request.upgrade?.();
  if (client === undefined) throw new Error('only a request that offers to switch protocols is answered with a switch');
  const lines = [`HTTP/1.1 101 Switching Protocols`];
  for (let i = 0; i < message.rawHeaders.length; i += 2)
    lines.push(`${message.rawHeaders[i]}: ${message.rawHeaders[i + 1]}`);
  client.stream.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) client.stream.write(head);
  if (client.head.length > 0) stream.write(client.head);
  pass(client.stream, stream);
  pass(stream, client.stream);
  return HIJACKED;
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => to.destroy()); // one end has gone: the other is told by that
  from.on('close', () => to.destroy());
  from.pipe(to);
}
