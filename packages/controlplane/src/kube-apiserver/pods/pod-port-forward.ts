import { badRequest } from '@kubewright/apimachinery';
import type { ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import { type ConnectCall, hijacked } from '@kubewright/apiserver/internal';
import { PortForwardChannels, readPorts } from '../streaming/port-forward-channels.ts';
import { type ForwardPort, SpdyPortForward } from '../streaming/spdy-port-forward.ts';
import { acceptSpdy, wantsSpdy } from '../streaming/spdy-upgrade.ts';
import { acceptWebSocket, offersProtocol, wantsWebSocket } from '../streaming/web-socket.ts';
import type { NodeConnector } from './node-connector.ts';
import { notServed } from './not-served.ts';
import type { ReachedPod } from './pod-container.ts';

/** The protocol of the SPDY streams. */
const overSpdy = 'portforward.k8s.io';
/** SPDY tunneled through WebSocket messages: kubectl's first choice since 1.31. */
const tunneled = 'SPDY/3.1+portforward.k8s.io';
/** WebSocket channels, with the ports in the query: used by clients not written in Go. */
const inChannels = ['v4.channel.k8s.io', overSpdy];

/**
 * Serves `pods/portforward`: forwards connections to ports of a pod, over SPDY (directly or tunneled through a
 * WebSocket) or over WebSocket channels.
 */
export function podPortForward(connector: NodeConnector): ConnectSubresource {
  return { type: 'connect', connect: (call) => forward(call, connector) };
}

async function forward(call: ConnectCall, connector: NodeConnector): Promise<ApiResponse> {
  const { request, query } = call;
  const pod = (await call.parent()) as ReachedPod;
  const portForward = connector.portForward?.bind(connector);
  if (!portForward) {
    throw notServed('portforward', "connect to the pod's IP, which is reachable from this host");
  }
  if (!pod.spec?.nodeName) throw badRequest(`pod ${call.name} does not have a host assigned`);
  const forward: ForwardPort = (options) => portForward(pod, options);
  if (wantsSpdy(request)) {
    const { duplex } = acceptSpdy(request, [overSpdy]);
    void new SpdyPortForward(duplex, forward).run();
  } else if (!wantsWebSocket(request)) {
    throw badRequest('Upgrade request required');
  } else if (offersProtocol(request, tunneled)) {
    const { createWebSocketStream } = await import('ws');
    const { socket } = await acceptWebSocket(request, [tunneled]);
    void new SpdyPortForward(createWebSocketStream(socket), forward).run();
  } else {
    const ports = readPorts(query);
    const { socket } = await acceptWebSocket(request, inChannels);
    new PortForwardChannels(socket, { ports, forward }).start();
  }
  return hijacked;
}
