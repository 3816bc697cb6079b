import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import { WebSocketServer } from 'ws';
import { playCommand, playContainer } from './play-container.ts';

/** A kubelet's HTTPS port with the endpoints that `kubectl logs` and `kubectl exec` need. */
export interface PlayedKubelet {
  readonly port: number;
  close(): void;
}

/** Options for {@link playKubelet}. */
export interface PlayedKubeletOptions {
  readonly tls: { readonly key: string; readonly cert: string };
  findPod(key: { readonly namespace: string; readonly name: string }): Promise<Pod>;
}

/** Listens on loopback as the kubelet of all simulated nodes. */
export async function playKubelet(options: PlayedKubeletOptions): Promise<PlayedKubelet> {
  const server = createServer(options.tls, (request, response) => {
    containerLog(new URL(request.url ?? '/', 'https://kubelet'), options).then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v5.channel.k8s.io' });
  sockets.on('connection', (socket, request) => {
    const words = new URL(request.url ?? '/', 'https://kubelet').searchParams.getAll('command');
    const { stdout, stderr, exitCode } = playCommand(words);
    const send = (channel: number, text: string) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)]));
    if (stdout) send(1, stdout);
    if (stderr) send(2, stderr);
    send(3, JSON.stringify(exitStatus(exitCode ?? 0)));
    socket.close(1000);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}

async function containerLog(url: URL, { findPod }: PlayedKubeletOptions): Promise<string> {
  const [, , namespace = '', name = '', containerName] = url.pathname.split('/');
  const pod = await findPod({ namespace, name });
  const container = pod.spec?.containers.find((each: Container) => each.name === containerName);
  const { stdout, stderr } = playContainer(container ?? {});
  const lines = `${stdout}${stderr}`.split('\n').slice(0, -1);
  const tail = url.searchParams.get('tailLines');
  const shown = tail === null ? lines : lines.slice(lines.length - Math.min(Number(tail), lines.length));
  return shown.map((line) => `${line}\n`).join('');
}

function exitStatus(exitCode: number) {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
