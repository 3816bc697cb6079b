import type { Clock } from '@kubewright/apimachinery';
import type { Probe } from '@kubewright/apimachinery/core/v1';
import { hostSockets, type SocketAddress, type Sockets } from '../../network/sockets.ts';
import { grpcProbe } from './grpc-probe.ts';
import { httpProbe, urlOf } from './http-probe.ts';
import { hostPort, networkFault } from './network-fault.ts';
import { portOf } from './port-of.ts';
import type { ProbeResult, ProbeRunner, ProbeTarget } from './probe-runner.ts';

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
  if (probe.httpGet) return httpProbe(probe.httpGet, { podIP, container, signal, sockets });
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
    return `Get "${urlOf(action, { podIP, container })}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
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

async function tcpConnect({ sockets, ...target }: SocketAddress & { readonly sockets: Sockets }): Promise<ProbeResult> {
  try {
    const socket = await sockets.connect(target);
    socket.on('error', () => undefined).destroy();
    return { ok: true, output: '' };
  } catch (error) {
    return { ok: false, output: networkFault(error, target) };
  }
}
