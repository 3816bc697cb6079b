import { badRequest, StatusError } from '@kubewright/apimachinery';
import { type ApiResponse, HIJACKED } from '../http/api-request.ts';
import type { NodeConnector } from '../node-connector.ts';
import type { ConnectCall, ConnectSubresource } from '../registry/resource-definition.ts';
import { ExecChannels, execProtocols } from './exec-channels.ts';
import { flag } from './log-options.ts';
import { chooseContainer, type ReachedPod } from './pod-container.ts';
import { acceptWebSocket, wantsWebSocket } from './web-socket.ts';

/** `pods/exec`: a command beside a container, over a WebSocket. SPDY, which kubectl falls back to, is not spoken. */
export function podExec(connector: NodeConnector): ConnectSubresource {
  return { type: 'connect', connect: (call) => answer(call, connector) };
}

async function answer(call: ConnectCall, connector: NodeConnector): Promise<ApiResponse> {
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
  if (!flag(query, 'stdin') && !flag(query, 'stdout') && !flag(query, 'stderr')) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  }
  if (!wantsWebSocket(request)) {
    await connector.check?.(pod, container);
    throw badRequest(`Upgrade request required: this server speaks WebSocket (${execProtocols.join(', ')}), not SPDY`);
  }
  await connector.check?.(pod, container);
  const over = new AbortController();
  const { socket } = await acceptWebSocket(request, execProtocols);
  const streams = new ExecChannels(socket, { closed: () => over.abort() });
  void connector
    .exec(pod, {
      container,
      command,
      tty: flag(query, 'tty'),
      stdin: flag(query, 'stdin') ? streams.stdin : undefined,
      stdout: (chunk) => streams.stdout(chunk),
      stderr: (chunk) => (flag(query, 'tty') ? streams.stdout(chunk) : streams.stderr(chunk)),
      signal: over.signal,
    })
    .then(({ exitCode }) => streams.end(exitStatus(exitCode)))
    .catch((error: unknown) => streams.end(failureStatus(error)));
  return HIJACKED;
}

function exitStatus(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function failureStatus(error: unknown): object {
  if (error instanceof StatusError) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return {
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    message: `error executing command in container: ${message}`,
    code: 500,
  };
}
