import { duplexPair } from 'node:stream';
import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ProxySubresource } from '../../kinds/index.ts';
import type { NodeConnector } from '../pods/node-connector.ts';
import { notServed } from '../pods/not-served.ts';

type Connection = Awaited<ReturnType<ProxySubresource['connect']>>;

/**
 * Connects to a port of a pod through its node. A node connects only to its own pods, even if a pod's status claims another
 * address.
 */
export function dialPod(
  connector: NodeConnector,
  pod: KubernetesObject,
  to: { readonly host: string; readonly port: number; readonly isTls: boolean; readonly signal: AbortSignal },
): Connection {
  const { host, port, isTls, signal } = to;
  if (!connector.portForward) throw notServed('proxy', "connect to the pod's IP, which is reachable from this host");
  const [stream, far] = duplexPair();
  const ended = new AbortController();
  stream.once('close', () => ended.abort());
  const output = (chunk: Uint8Array): Promise<void> => new Promise((resolve) => far.write(chunk, () => resolve()));
  connector.portForward(pod, { port, input: far, output, signal: AbortSignal.any([signal, ended.signal]) }).then(
    () => far.end(),
    (error: Error) => stream.destroy(error),
  );
  return { stream, isTls, host: `${host.includes(':') ? `[${host}]` : host}:${port}` };
}
