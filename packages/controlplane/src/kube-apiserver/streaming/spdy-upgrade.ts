import type { Duplex } from 'node:stream';
import { badRequest } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import { disconnected } from './disconnected.ts';

/** True if the request upgrades to SPDY. Older clients use only SPDY; newer clients fall back to it. */
export function wantsSpdy({ upgrade, headers }: ApiRequest): boolean {
  return upgrade !== undefined && headers['upgrade']?.toLowerCase() === 'spdy/3.1';
}

/**
 * Upgrades a request's connection to SPDY/3.1.
 *
 * @param protocols - the supported stream protocols, in order of preference
 * @throws StatusError 400 if the client offers none of them, or has disconnected.
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
  // Check now: a stream that is already destroyed emits no `close` event.
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
