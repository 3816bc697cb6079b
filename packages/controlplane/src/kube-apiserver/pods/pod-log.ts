import type { ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import { type ConnectCall, hijacked } from '@kubewright/apiserver/internal';
import { acceptWebSocket, wantsWebSocket } from '../streaming/web-socket.ts';
import { readLogOptions } from './log-options.ts';
import type { NodeConnector } from './node-connector.ts';
import { chooseContainer, type ReachedPod } from './pod-container.ts';

/** Serves `pods/log`: streams a container's log as plain text, or over a WebSocket. */
export function podLog(connector: NodeConnector): ConnectSubresource {
  return { type: 'connect', connect: (call) => readLog(call, connector) };
}

async function readLog(call: ConnectCall, connector: NodeConnector): Promise<ApiResponse> {
  const { request } = call;
  const pod = (await call.parent()) as ReachedPod;
  const options = readLogOptions(call.query, call.name);
  const container = chooseContainer(pod, options.container);
  const { signal } = request;
  // A pod that is not scheduled has an empty log.
  const log = pod.spec?.nodeName ? await connector.logs(pod, { ...options, container, signal }) : nothing();
  if (wantsWebSocket(request)) return overWebSocket(call, log);
  return { status: 200, headers: { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' }, body: log };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function overWebSocket(call: ConnectCall, log: AsyncIterable<Uint8Array>): Promise<ApiResponse> {
  const { socket, protocol } = await acceptWebSocket(call.request, ['binary.k8s.io', 'base64.binary.k8s.io']);
  const encode = (chunk: Uint8Array) =>
    protocol === 'base64.binary.k8s.io' ? Buffer.from(chunk).toString('base64') : chunk;
  socket.on('error', () => socket.terminate());
  void (async () => {
    for await (const chunk of log) {
      if (socket.readyState !== socket.OPEN) break;
      await new Promise<void>((resolve) => socket.send(encode(chunk), () => resolve()));
    }
    socket.close(1000);
  })().catch(() => socket.terminate());
  return hijacked;
}
