import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { defined, trustBundle } from '@kubewright/apimachinery/internal';
import { isTemporaryNetworkError } from '../temporary-network-error.ts';
import { TransportError } from '../transport-error.ts';
import type { HttpContext } from './http-options.ts';
import { openTunnel } from './proxy-tunnel.ts';

/** Maximum size of one read on connections that reuse one buffer, in bytes. */
const readBytes = 128 << 10;

/** A connection that is ready for HTTP, and the negotiated protocol. */
export interface DialedSocket {
  readonly socket: Socket;
  readonly protocol: 'h2' | 'http/1.1';
}

/** Opens connections to one server. Caches the parsed certificates, because parsing them costs more than a connection. */
export class Dialer {
  readonly #context: HttpContext;
  readonly #connectTcp: (to: { readonly host: string; readonly port: number }) => Socket;
  #secureContext: SecureContext | undefined;

  /**
   * @param options - `raw`: true to open sockets that are read as streams, not by Node's HTTP client. @defaultValue
   * false
   */
  constructor(context: HttpContext, options: { readonly raw?: boolean } = {}) {
    this.#context = context;
    this.#connectTcp = options.raw ? connectTcp : connectForHttp1;
  }

  /**
   * Opens one connection: TCP, then the proxy's tunnel if any, then TLS.
   * @throws TransportError `KW2001`, `KW2002` or `KW2009`; nothing was sent.
   */
  async dial(signal: AbortSignal): Promise<DialedSocket> {
    const { clock, tuning, server } = this.#context;
    const attempt = new AbortController();
    const onAbort = (): void => attempt.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = clock.setTimer(tuning.connectTimeoutMs, () => {
      const text = {
        what: `cannot connect to ${server.host}`,
        why: `timed out after ${tuning.connectTimeoutMs} ms`,
        remedy: 'check that the address is correct and reachable',
      };
      attempt.abort(new TransportError('KW2001', text, { sent: false }));
    });
    try {
      const socket = await this.#connect(attempt.signal);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, tuning.keepAliveIntervalMs);
      const protocol = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
      return { socket, protocol };
    } catch (error) {
      if (attempt.signal.aborted && error === attempt.signal.reason) throw error;
      throw error instanceof TransportError ? error : dialError(server, error);
    } finally {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #connect(signal: AbortSignal): Promise<Socket> {
    const { server, proxy } = this.#context;
    const secure = server.protocol === 'https:';
    const host = server.hostname.replace(/^\[|\]$/g, '');
    const port = Number(server.port) || (secure ? 443 : 80);
    const tunnel = proxy ? await openTunnel(proxy, { host, port, signal }) : undefined;
    if (!secure) return tunnel ?? ready(this.#connectTcp({ host, port }), { event: 'connect', signal });
    this.#secureContext ??= this.#makeSecureContext();
    const { trust, protocols } = this.#context;
    const serverName = trust.serverName ?? (isIP(host) ? undefined : host);
    const socket = connectTls({
      host,
      port,
      ...defined({ socket: tunnel, servername: serverName }),
      secureContext: this.#secureContext,
      rejectUnauthorized: !trust.insecureSkipVerify,
      ALPNProtocols: [...protocols],
    });
    return ready(socket, { event: 'secureConnect', signal });
  }

  #makeSecureContext(): SecureContext {
    const { trust, cert, key } = this.#context;
    try {
      return createSecureContext({
        minVersion: 'TLSv1.2',
        ...(trust.ca === undefined ? {} : trustBundle(trust.ca)),
        ...defined({ cert, key }),
      });
    } catch (cause) {
      const text = {
        what: `cannot set up TLS with ${this.#context.server.host}`,
        why: 'the certificate authority, the client certificate or its key is not valid PEM, or the certificate and the key do not match',
      };
      throw new TransportError('KW2002', text, { sent: false, cause });
    }
  }
}

/**
 * Opens a connection that always reads into the same buffer. Node's HTTP/1.1 client copies received data synchronously,
 * so reusing the buffer is safe. Without this, each read leaves 64 KiB of garbage, a fifth of the cost of listing many
 * objects.
 */
function connectForHttp1(to: { readonly host: string; readonly port: number }): Socket {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const callback = (length: number): boolean => {
    socket.emit('data', buffer.subarray(0, length));
    return true;
  };
  const socket: Socket = connectTcp({ ...to, onread: { buffer, callback } });
  return socket;
}

function ready(socket: Socket, options: { readonly event: string; readonly signal: AbortSignal }): Promise<Socket> {
  const { event, signal } = options;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      socket.off(event, onReady);
      socket.off('error', onError);
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onReady = (): void => settle(() => resolve(socket));
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new Error('the connection was closed during the handshake')));
    const onAbort = (): void =>
      settle(() => {
        // A destroyed socket can still emit an error after the caller has stopped waiting.
        socket.on('error', () => {});
        socket.destroy();
        reject(signal.reason);
      });
    if (signal.aborted) {
      onAbort();
      return;
    }
    socket.on(event, onReady);
    socket.on('error', onError);
    socket.on('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;

function dialError(server: URL, cause: unknown): TransportError {
  if (isNoTls(cause)) {
    const text = {
      what: `TLS handshake with ${server.host} failed`,
      why: 'the server does not use TLS on this port',
      remedy: 'use an http:// address, or the port that serves HTTPS',
    };
    return new TransportError('KW2002', text, { sent: false, cause });
  }
  if (isTlsFailure(cause)) {
    const text = {
      what: `TLS handshake with ${server.host} failed`,
      why: describe(cause),
      remedy: 'check certificate-authority, tls-server-name and the client certificate',
    };
    return new TransportError('KW2002', text, { sent: false, cause });
  }
  // A server that is being restarted refuses connections.
  const retryable = errorCode(cause) === 'ECONNREFUSED' || isTemporaryNetworkError(cause);
  const text = {
    what: `cannot connect to ${server.host}`,
    why: describe(cause),
    remedy: 'check that the server is running',
  };
  return new TransportError('KW2001', text, { sent: false, retryable, cause });
}

/** True for certificate and handshake failures; some arrive only after the handshake, on the first read. */
export function isTlsFailure(error: unknown): boolean {
  return tlsCodes.test(errorCode(error));
}

/** True if the reply to the TLS handshake is not TLS. OpenSSL then misreads the reply as a TLS record. */
function isNoTls(error: unknown): boolean {
  const text = `${errorCode(error)} ${error instanceof Error ? error.message : ''}`;
  return /wrong.version.number|packet.length.too.long/i.test(text);
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function describe(error: unknown): string {
  // Failures of Happy Eyeballs have an empty message, so fall back to the code.
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? code : message;
}
