import { badRequest, type Clock } from '@kubewright/apimachinery';
import type { ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import { type ConnectCall, hijacked } from '@kubewright/apiserver/internal';
import { checkCommandUpgrade, openCommandStreams } from '../streaming/command-streams.ts';
import { readCommandOptions } from './command-options.ts';
import { exitStatus, failureStatus } from './command-status.ts';
import type { NodeConnector } from './node-connector.ts';
import { notServed } from './not-served.ts';
import { chooseContainer, type ReachedPod } from './pod-container.ts';

/** Serves `pods/attach`: streams a container's standard input and its further output over a WebSocket or SPDY. */
export function podAttach(connector: NodeConnector, clock: Clock): ConnectSubresource {
  return { type: 'connect', connect: (call) => attach(call, { connector, clock }) };
}

async function attach(
  call: ConnectCall,
  { connector, clock }: { readonly connector: NodeConnector; readonly clock: Clock },
): Promise<ApiResponse> {
  const { request, query } = call;
  const pod = (await call.parent()) as ReachedPod;
  const container = chooseContainer(pod, query.get('container') ?? '');
  const { phase } = pod.status ?? {};
  if (!pod.spec?.nodeName) throw badRequest(`pod ${call.name} does not have a host assigned`);
  if (phase === 'Succeeded' || phase === 'Failed') {
    throw badRequest(`cannot attach a container in a completed pod; current phase is ${phase}`);
  }
  const wanted = readCommandOptions(query);
  const attach = connector.attach?.bind(connector);
  if (!attach) throw notServed('attach', 'use exec, or follow the log');
  await connector.check?.(pod, { container, ...(wanted.tty && { terminal: 'attach' }) });
  checkCommandUpgrade(request);
  const over = new AbortController();
  const streams = await openCommandStreams(request, { wanted, clock, closed: () => over.abort() });
  void attach(pod, {
    container,
    tty: wanted.tty,
    sizes: wanted.tty ? streams.sizes : undefined,
    stdin: wanted.stdin ? streams.stdin : undefined,
    stdout: async (chunk) => (wanted.stdout ? streams.stdout(chunk) : undefined),
    stderr: async (chunk) => (wanted.stderr ? streams.stderr(chunk) : undefined),
    signal: over.signal,
  })
    .then(() => streams.end(exitStatus(0)))
    .catch((error: unknown) => streams.end(failureStatus(error, 'error attaching to container')));
  return hijacked;
}
