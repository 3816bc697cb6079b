import type { IncomingMessage } from 'node:http';
import { badRequest } from '@kubewright/apimachinery';
import type { ApiRequest } from '@kubewright/apiserver';
import type { WebSocket } from 'ws';
import { disconnected } from './disconnected.ts';

/** Maximum size of a message from a client, including all fragments. */
const maxMessageBytes = 4 * 1024 * 1024;
/** Maximum number of fragments of a message from a client. */
const maxFragments = 1024;

/** True if the request upgrades to a WebSocket. */
export function wantsWebSocket({ upgrade, headers }: ApiRequest): boolean {
  return upgrade !== undefined && headers['upgrade']?.toLowerCase() === 'websocket';
}

function offeredProtocols({ headers }: ApiRequest): readonly string[] {
  return (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** True if the request offers a subprotocol. */
export function offersProtocol(request: ApiRequest, protocol: string): boolean {
  return offeredProtocols(request).includes(protocol);
}

/**
 * Upgrades a request's connection to a WebSocket.
 *
 * @param protocols - the supported subprotocols, in order of preference
 * @throws StatusError 400 if the client offers none of them, or has disconnected.
 */
export async function acceptWebSocket(
  request: ApiRequest,
  protocols: readonly string[],
): Promise<{ readonly socket: WebSocket; readonly protocol: string }> {
  const offered = offeredProtocols(request);
  const protocol = protocols.find((one) => offered.includes(one)) ?? '';
  if (!request.upgrade || (offered.length > 0 && protocol === '')) {
    throw badRequest(
      `unable to upgrade: none of the protocols [${offered.join(' ')}] is supported; offer one of [${protocols.join(' ')}]`,
    );
  }
  // Loaded on first use, because most test clusters never need it.
  const { WebSocketServer } = await import('ws');
  const { stream, head, request: message } = request.upgrade();
  // Check now: a stream that is already destroyed emits no `close` event.
  if (stream.destroyed) throw disconnected('the WebSocket was open');
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    maxFragments,
    perMessageDeflate: false,
    handleProtocols: () => (protocol === '' ? false : protocol),
  });
  return new Promise((resolve, reject) => {
    stream.once('close', () => reject(disconnected('the WebSocket was open')));
    // The upgrade carries Node's own request object.
    server.handleUpgrade(message as IncomingMessage, stream, Buffer.from(head), (socket) =>
      resolve({ socket, protocol }),
    );
  });
}
