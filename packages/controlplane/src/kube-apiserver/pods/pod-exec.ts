import { badRequest, type Clock } from '@kubewright/apimachinery';
import type { ApiResponse, ConnectSubresource } from '@kubewright/apiserver';
import { type ConnectCall, hijacked } from '@kubewright/apiserver/internal';
import { checkCommandUpgrade, openCommandStreams } from '../streaming/command-streams.ts';
import { readCommandOptions } from './command-options.ts';
import { exitStatus, failureStatus } from './command-status.ts';
import type { NodeConnector } from './node-connector.ts';
import { chooseContainer, type ReachedPod } from './pod-container.ts';

/** Serves `pods/exec`: runs a command in a container, over a WebSocket or SPDY. */
export function podExec(connector: NodeConnector, clock: Clock): ConnectSubresource {
  return { type: 'connect', connect: (call) => exec(call, { connector, clock }) };
}

async function exec(
  call: ConnectCall,
  { connector, clock }: { readonly connector: NodeConnector; readonly clock: Clock },
): Promise<ApiResponse> {
  const { request, query } = call;
  const pod = (await call.parent()) as ReachedPod;
  const container = chooseContainer(pod, query.get('container') ?? '');
  const command = query.getAll('command');
  const { phase } = pod.status ?? {};
  if (command.length === 0) throw badRequest('you must specify at least 1 command for the container');
  if (!pod.spec?.nodeName) throw badRequest(`pod ${call.name} does not have a host assigned`);
  if (phase === 'Succeeded' || phase === 'Failed') {
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  }
  const wanted = readCommandOptions(query);
  await connector.check?.(pod, { container, ...(wanted.tty && { terminal: 'exec' }) });
  checkCommandUpgrade(request);
  const over = new AbortController();
  const streams = await openCommandStreams(request, { wanted, clock, closed: () => over.abort() });
  void connector
    .exec(pod, {
      container,
      command,
      tty: wanted.tty,
      sizes: wanted.tty ? streams.sizes : undefined,
      stdin: wanted.stdin ? streams.stdin : undefined,
      stdout: async (chunk) => (wanted.stdout ? streams.stdout(chunk) : undefined),
      stderr: async (chunk) => (wanted.stderr ? streams.stderr(chunk) : undefined),
      signal: over.signal,
    })
    .then(({ exitCode }) => streams.end(exitStatus(exitCode)))
    .catch((error: unknown) => streams.end(failureStatus(error, 'error executing command in container')));
  return hijacked;
}
