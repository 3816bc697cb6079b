import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@kubewright/apimachinery';
import type { Container, HTTPGetAction, Probe } from '@kubewright/apimachinery/core/v1';
import { hostSockets, type SocketAddress, type Sockets } from '../../network/sockets.ts';
import { grpcProbe } from './grpc-probe.ts';
import { hostPort, networkFault } from './network-fault.ts';
import type { ProbeResult, ProbeRunner, ProbeTarget } from './probe-runner.ts';

// An import statement would also load Node's fetch, which costs 30 ms and 14 MB and is not used in this file.
const { request: httpRequest } = process.getBuiltinModule('node:http');

const maxOutput = 10_240;

/** Probes real containers: HTTP, TCP and gRPC at the pod's address, and commands in the container's environment. */
export class LocalProbeRunner implements ProbeRunner {
  readonly #clock: Clock;
  readonly #sockets: Sockets;

  /** @param sockets - connects to pods. */
  constructor(clock: Clock, sockets: Sockets = hostSockets) {
    this.#clock = clock;
    this.#sockets = sockets;
  }

  async run(probe: Probe, target: ProbeTarget): Promise<ProbeResult> {
    const over = new AbortController();
    const timeoutSeconds = probe.timeoutSeconds ?? 1;
    const timer = this.#clock.setTimer(timeoutSeconds * 1000, () => over.abort());
    const expired = new Promise<undefined>((resolve) => {
      over.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    try {
      const attempt = runProbe(probe, target, { signal: over.signal, sockets: this.#sockets });
      // A gRPC probe's timeout message depends on its progress, so it reports the timeout itself.
      const result = await (probe.grpc ? attempt : Promise.race([attempt, expired]));
      return result ?? { ok: false, output: timeoutOutput(probe, target) };
    } catch (error) {
      return { ok: false, output: error instanceof Error ? error.message : String(error) };
    } finally {
      timer[Symbol.dispose]();
      over.abort();
    }
  }
}

async function runProbe(
  probe: Probe,
  target: ProbeTarget,
  { signal, sockets }: { readonly signal: AbortSignal; readonly sockets: Sockets },
): Promise<ProbeResult> {
  const { podIP, container, running } = target;
  if (probe.exec) return execute(probe.exec.command ?? [], { running, signal });
  if (probe.httpGet) return httpGet(probe.httpGet, { podIP, container, signal, sockets });
  const { tcpSocket, grpc, timeoutSeconds = 1 } = probe;
  if (grpc) {
    const port = portOf(grpc.port, container);
    return grpcProbe({ host: podIP, port, service: grpc.service ?? '', timeoutSeconds, signal, sockets });
  }
  const port = portOf(tcpSocket?.port ?? 0, container);
  return tcpConnect({ host: tcpSocket?.host || podIP, port, sockets });
}

/** Returns the kubelet's message for a probe that timed out. */
function timeoutOutput(probe: Probe, { podIP, container }: ProbeTarget): string {
  const { exec, httpGet: action, tcpSocket, timeoutSeconds = 1 } = probe;
  if (exec) {
    const command = JSON.stringify((exec.command ?? []).join(' '));
    return `command timed out: ${command} timed out after ${timeoutSeconds}s`;
  }
  if (action) {
    const { url } = addressOf(action, { podIP, container });
    return `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
  }
  const address = hostPort({ host: tcpSocket?.host || podIP, port: portOf(tcpSocket?.port ?? 0, container) });
  return `dial tcp ${address}: i/o timeout`;
}

async function execute(
  command: readonly string[],
  context: Pick<ProbeTarget, 'running'> & { readonly signal: AbortSignal },
): Promise<ProbeResult> {
  let output = '';
  const take = (chunk: Uint8Array): void => {
    if (output.length < maxOutput) output += Buffer.from(chunk).toString('utf8');
  };
  const { running, signal } = context;
  const session = await running.exec({ command, stdin: undefined, stdout: take, stderr: take, signal });
  const { exitCode } = await session.exited;
  return { ok: exitCode === 0, output: output.slice(0, maxOutput) };
}

/** Sends the HTTP request of a probe or hook: certificates are not verified, and redirects count as success. */
async function httpGet(
  action: HTTPGetAction,
  context: {
    readonly podIP: string;
    readonly container: Container;
    readonly signal: AbortSignal;
    readonly sockets: Sockets;
  },
): Promise<ProbeResult> {
  const { signal, sockets } = context;
  const { host, port, path, secure, url } = addressOf(action, context);
  const headers = { 'user-agent': 'kube-probe/1.36', accept: '*/*', connection: 'close', ...headersOf(action) };
  let socket: Socket;
  try {
    socket = await sockets.connect({ host, port });
  } catch (error) {
    return { ok: false, output: `Get "${url}": ${networkFault(error, { host, port })}` };
  }
  // The probe has timed out.
  if (signal.aborted) socket.destroy();
  return new Promise((resolve) => {
    const createConnection = () => (secure ? connectTls({ socket, rejectUnauthorized: false }) : socket);
    const settings = { host, port, path, headers, signal, createConnection };
    const request = secure ? httpsRequest(settings) : httpRequest(settings);
    request.on('response', (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      const ok = status >= 200 && status < 400;
      resolve({ ok, output: ok ? '' : `HTTP probe failed with statuscode: ${status}` });
    });
    request.on('error', (error) =>
      resolve({ ok: false, output: `Get "${url}": ${networkFault(error, { host, port })}` }),
    );
    request.end();
  });
}

function addressOf(
  action: HTTPGetAction,
  { podIP, container }: Pick<ProbeTarget, 'podIP' | 'container'>,
): {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly secure: boolean;
  readonly url: string;
} {
  const port = portOf(action.port, container);
  const host = action.host || podIP;
  const path = (action.path ?? '/').replace(/^(?!\/)/, '/');
  const secure = action.scheme === 'HTTPS';
  return { host, port, path, secure, url: `${secure ? 'https' : 'http'}://${hostPort({ host, port })}${path}` };
}

function headersOf(action: HTTPGetAction): Record<string, string> {
  return Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
}

async function tcpConnect({ sockets, ...target }: SocketAddress & { readonly sockets: Sockets }): Promise<ProbeResult> {
  try {
    const socket = await sockets.connect(target);
    socket.on('error', () => undefined).destroy();
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: networkFault(error, target) };
  }
}

/** Resolves a port number or name. @throws Error if the container has no such port. */
function portOf(port: number | string, container: Container): number {
  if (typeof port === 'number') return port;
  const found = container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (!Number.isInteger(found) || found < 1 || found > 65_535) throw new Error(`couldn't find port: "${port}"`);
  return found;
}
