import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { nodeHttp } from '@kubewright/client/internal';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import type { ServedCertificate, ServedCertificateParts } from '../certificates/served-certificate.ts';
import { logEvents } from '../log/log-events.ts';
import { BindError } from './bind-error.ts';

const http = nodeHttp();
const limits = { requestTimeout: 10_000, headersTimeout: 10_000 };

/** HTTPS settings of a {@link ProbeServer}. */
export interface ProbeServerTls {
  readonly certificates: CertificateSource;
  /** File of the certificate authority that must have issued callers' certificates. */
  readonly clientCaFile?: string | undefined;
  readonly parts: Omit<ServedCertificateParts, 'port' | 'converts'>;
}

/** Handler for the requests to one path. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A small HTTP server for probes and metrics. Serves GET and HEAD on the given paths and the paths below them. */
export class ProbeServer implements AsyncDisposable {
  readonly #what: string;
  readonly #tls: ProbeServerTls | undefined;
  readonly #server: Server | SecureServer;
  #certificate: ServedCertificate | undefined;

  /** @param tls - HTTPS settings. @defaultValue HTTP */
  constructor(what: string, paths: Readonly<Record<string, HttpHandler>>, tls?: ProbeServerTls) {
    this.#what = what;
    this.#tls = tls;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      void serve(paths, { request, response });
    };
    const clientAuth = tls?.clientCaFile === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
    this.#server = tls
      ? nodeHttp('https').createServer({ ...limits, ...clientAuth, minVersion: 'TLSv1.2' }, listener)
      : http.createServer(limits, listener);
  }

  /**
   * Listens on an address such as `:8081` or `127.0.0.1:0`; returns the port. With HTTPS, waits until there is a certificate.
   *
   * @throws BindError (KW3006) when the server cannot listen on the address, CertificateError (KW3030) when there is no
   * certificate.
   */
  async listen(address: string): Promise<number> {
    const { host, port } = parseAddress(address);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen({ port, ...(host !== '' && { host }) }, resolve);
      });
    } catch (cause) {
      throw new BindError(this.#what, { address, cause });
    }
    // A probe's connection must not keep the process alive.
    this.#server.unref();
    const bound = (this.#server.address() as AddressInfo).port;
    await this.#startTls(bound);
    return bound;
  }

  async #startTls(port: number): Promise<void> {
    if (!this.#tls) return;
    const { ServedCertificate } = await import('../certificates/served-certificate.ts');
    const { certificates, clientCaFile, parts } = this.#tls;
    // The cast is safe: with TLS settings, the server was created by node:https.
    this.#certificate = new ServedCertificate(this.#server as SecureServer, {
      minVersion: 'TLSv1.2',
      clientCaFile,
    });
    const failed = (error: unknown): void =>
      parts.log.error('certificate renewal has stopped; the current certificate stays in use', {
        event: logEvents.certificateFailed,
        error,
        server: this.#what,
      });
    await this.#certificate.start(certificates, { parts: { ...parts, port, converts: [] }, failed });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#certificate?.[Symbol.asyncDispose]();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

async function serve(
  paths: Readonly<Record<string, HttpHandler>>,
  call: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { request, response } = call;
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const found = Object.keys(paths).find((each) => path === each || path.startsWith(`${each}/`));
  if (found === undefined) return respond(response, { status: 404, text: '404 page not found\n' });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return respond(response, { status: 405, text: 'Method Not Allowed\n' });
  try {
    await paths[found]!(request, response);
  } catch {
    // A failing health check sets its own status code and logs the reason; this response is sent only if a handler
    // throws.
    respond(response, { status: 500, text: 'internal error\n' });
  }
}

/** Sends a text response. */
export function respond(response: ServerResponse, what: { readonly status: number; readonly text: string }): void {
  if (response.headersSent) return;
  response.writeHead(what.status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(what.text);
}

/** Parses `:8081`, `127.0.0.1:8081` or `[::1]:8081`. */
function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535)
    throw new TypeError(`invalid address ${JSON.stringify(address)}: must be like ":8081" or "127.0.0.1:8081"`);
  return { host: match[1] ?? match[2] ?? '', port };
}
