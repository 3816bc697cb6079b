import type { Duplex } from 'node:stream';
import { badRequest } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import { disconnected } from './disconnected.ts';

/** True if the caller requests SPDY, which clients used before WebSockets and still fall back to. */
export function wantsSpdy({ upgrade, headers }: ApiRequest): boolean {
  return upgrade !== undefined && headers['upgrade']?.toLowerCase() === 'spdy/3.1';
}

/**
 * Takes over a request's stream for SPDY/3.1.
 *
 * @param protocols - the protocols supported in its streams, in order of preference
 * @throws StatusError 400 when the client offers none of them, or has disconnected.
 */
export function acceptSpdy(
  request: ApiRequest,
  protocols: readonly string[],
): { readonly duplex: Duplex; readonly protocol: string } {
  const offered = (request.headers['x-stream-protocol-version'] ?? '').split(',').map((text) => text.trim());
  const protocol = protocols.find((one) => offered.includes(one));
  if (!request.upgrade || protocol === undefined) {
    throw badRequest(
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${protocols.join(' ')}]`,
    );
  }
  const { stream, head } = request.upgrade();
  // The stream does not close a second time.
  if (stream.destroyed) throw disconnected('the connection used SPDY');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    `X-Stream-Protocol-Version: ${protocol}`,
  ];
  stream.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) stream.unshift(head);
  return { duplex: stream, protocol };
}
