import { Buffer } from 'node:buffer';
import type { ClientHttp2Session } from 'node:http2';
import type { Sockets } from '../../network/sockets.ts';
import { hostPort, networkFault } from './network-fault.ts';
import type { ProbeResult } from './probe-runner.ts';

// Node's HTTP/2 module, loaded when the first gRPC probe runs.
const http2 = (): typeof import('node:http2') => process.getBuiltinModule('node:http2');

/** Health statuses by number. */
const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const serving = 1;
/** Status code of an unimplemented method. */
const unimplemented = '12';
const maxResponseBytes = 1024;

/** Target of a gRPC probe. */
export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  /** Service name; empty for the whole server. */
  readonly service: string;
  readonly timeoutSeconds: number;
  /** Aborted when the timeout expires. */
  readonly signal: AbortSignal;
  /** Connects to the server. */
  readonly sockets: Sockets;
}

interface HealthResponse {
  readonly code: string;
  readonly message: string;
  readonly bytes: Buffer;
}

/**
 * Checks a server's health with `grpc.health.v1.Health/Check`, without TLS, and returns the result in the kubelet's wording
 * (1.36).
 */
export async function grpcProbe(target: GrpcTarget): Promise<ProbeResult> {
  const { host, port, signal } = target;
  const address = hostPort(target);
  const within = `within ${target.timeoutSeconds}s`;
  const noConnection = `timeout: failed to connect service "${address}" ${within}: context deadline exceeded`;
  const late = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let connected = false;
  let session: ClientHttp2Session | undefined;
  try {
    const opening = target.sockets.connect({ host, port });
    const socket = await Promise.race([opening, late]);
    if (!socket) {
      opening.then((opened) => opened.destroy()).catch(() => undefined);
      return failed(noConnection);
    }
    session = http2().connect(`http://${address}`, { createConnection: () => socket });
    session.once('remoteSettings', () => {
      connected = true;
    });
    const response = await Promise.race([checkHealth(session, target.service), late]);
    if (response) return resultOf(response);
    return failed(connected ? `timeout: health rpc did not complete ${within}` : noConnection);
  } catch (error) {
    // A kubelet retries the connection until the timeout, and then reports the timeout.
    if (!connected) return failed(noConnection);
    return failed(`error: health rpc probe failed: ${networkFault(error, { host, port })}`);
  } finally {
    session?.destroy();
  }
}

function resultOf({ code, message, bytes }: HealthResponse): ProbeResult {
  if (code === unimplemented) {
    const lack = 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health)';
    return failed(`${lack}: ${message}`);
  }
  if (code !== '0') return failed(`error: health rpc probe failed: rpc error: code = ${code} desc = ${message}`);
  const status = statusIn(bytes);
  if (status === serving) return { ok: true, output: 'service healthy' };
  return failed(`service unhealthy (responded with "${statuses[status] ?? status}")`);
}

function failed(output: string): ProbeResult {
  return { ok: false, output };
}

function checkHealth(session: ClientHttp2Session, service: string): Promise<HealthResponse> {
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'kube-probe/1.36',
    });
    const chunks: Buffer[] = [];
    let said: Readonly<Record<string, unknown>> = {};
    // A response without a body has its status in the headers.
    stream.on('response', (headers) => {
      said = { ...said, ...headers };
    });
    stream.on('trailers', (trailers) => {
      said = { ...said, ...trailers };
    });
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (Buffer.concat(chunks).length > maxResponseBytes) stream.destroy(new Error('the response is too large'));
    });
    stream.on('error', reject).on('close', () => {
      const code = said['grpc-status'];
      const message = String(said['grpc-message'] ?? `unexpected HTTP status code ${String(said[':status'])}`);
      resolve({ code: code === undefined ? 'Unknown' : String(code), message, bytes: Buffer.concat(chunks) });
    });
    stream.end(request(service));
  });
}

/** Encodes a message: uncompressed flag, length, then field 1 with the service name. */
function request(service: string): Buffer {
  const name = Buffer.from(service, 'utf8').subarray(0, 127);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.of(0x0a, name.length), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Returns field 1 of the response message. The field is missing if its value is 0. */
function statusIn(bytes: Buffer): number {
  return bytes[5] === 0x08 ? (bytes[6] ?? 0) : 0;
}
