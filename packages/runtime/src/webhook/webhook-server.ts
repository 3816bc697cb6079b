import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { nodeHttp } from '@kubewright/client/internal';
import { certificateFiles } from '../certificates/certificate-files.ts';
import type { CertificateMetrics, CertificateSource } from '../certificates/certificate-source.ts';
import { ServedCertificate } from '../certificates/served-certificate.ts';
import { BindError } from '../health/bind-error.ts';
import type { HealthCheck } from '../health/checks-handler.ts';
import { logEvents } from '../log/log-events.ts';
import type { WebhookDefinition } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';
import { webhookListener } from './webhook-listener.ts';
import type { WebhookParts } from './webhook-parts.ts';
import { type WebhookRoute, webhookRoutes } from './webhook-router.ts';

const { createServer } = nodeHttp('https');

/** Settings of the server that serves a manager's webhooks. */
export interface WebhookServerOptions {
  /** 0 lets the system choose, -1 disables the server. @defaultValue 9443 */
  readonly port?: number;
  /** Address to listen on. @defaultValue all addresses */
  readonly host?: string;
  /**
   * Source of the server's certificate. @defaultValue `certificateFiles()`: cert-manager's layout below
   * `/tmp/k8s-webhook-server/serving-certs`
   */
  readonly certificates?: CertificateSource;
  /** PEM of a CA. Callers must present a certificate issued by this CA. @defaultValue callers need no certificate */
  readonly clientCa?: string;
  /** File that contains the PEM of the CA, such as a mounted file; reread every ten seconds. Takes precedence over `clientCa`. */
  readonly clientCaFile?: string;
  /** @defaultValue 'TLSv1.2' */
  readonly minTlsVersion?: 'TLSv1.2' | 'TLSv1.3';
}

export interface WebhookServerParts extends WebhookParts {
  readonly certificateMetrics?: CertificateMetrics | undefined;
  /** Called for failures after the start. */
  readonly failed: (error: unknown) => void;
}

/**
 * Maximum wait for requests in progress when the server stops, in milliseconds; controller-runtime waits for up to one
 * minute, the limit of its manager.
 */
const drainMs = 10_000;

/** Serves declared webhooks over HTTPS. */
export class WebhookServer implements AsyncDisposable {
  readonly #options: WebhookServerOptions;
  readonly #parts: WebhookServerParts;
  readonly #routes: ReadonlyMap<string, WebhookRoute>;
  readonly #converts: readonly string[];
  readonly #server: Server;
  readonly #certificate: ServedCertificate;
  #isStarted = false;
  #isStopped = false;
  #port: number | undefined;

  /** @throws WebhookError (KW3031) for webhooks that cannot be served together. */
  constructor(webhooks: readonly WebhookDefinition[], options: WebhookServerOptions, parts: WebhookServerParts) {
    this.#options = options;
    this.#parts = parts;
    this.#routes = webhookRoutes(webhooks, parts);
    this.#converts = webhooks.flatMap((each) => (each.type === 'conversion' ? [`${each.plural}.${each.group}`] : []));
    const { clientCa, clientCaFile, minTlsVersion: minVersion = 'TLSv1.2' } = options;
    this.#server = createServer(
      {
        minVersion,
        ...((clientCa ?? clientCaFile) !== undefined && { requestCert: true, rejectUnauthorized: true }),
        // Longer than callers keep idle connections (90 s in Go), because a request fails if the server closes its connection
        // first.
        keepAliveTimeout: 120_000,
        requestTimeout: 60_000,
        headersTimeout: 20_000,
        handshakeTimeout: 10_000,
      },
      webhookListener(this.#routes, parts),
    );
    this.#certificate = new ServedCertificate(this.#server, {
      minVersion,
      ca: clientCa,
      clientCaFile,
    });
  }

  /** The bound port. */
  get port(): number | undefined {
    return this.#port;
  }

  /**
   * Starts listening, and resolves once there is a certificate.
   * @throws BindError (KW3006), CertificateError (KW3030)
   */
  async start(): Promise<void> {
    const { clock, client, certificateMetrics, failed } = this.#parts;
    const log = this.#parts.log.named('webhook');
    const { port = 9443, host = '', certificates = certificateFiles() } = this.#options;
    for (const path of this.#routes.keys())
      log.info('Registering webhook', { event: logEvents.webhookRegistered, path });
    log.info('Starting webhook server', { event: logEvents.webhookServerStarting });
    this.#port = await this.#listen({ port, host });
    const parts = {
      clock,
      log: this.#parts.log,
      port: this.#port,
      converts: this.#converts,
      client,
      metrics: certificateMetrics,
    };
    await this.#certificate.start(certificates, { parts, failed });
    if (this.#isStopped) return;
    this.#isStarted = true;
    log.info('Serving webhook server', { event: logEvents.webhookServerServing, host, port: this.#port });
  }

  /** Health check that passes if the server completes a TLS handshake, like controller-runtime's `StartedChecker`. */
  readonly startedCheck: HealthCheck = async (signal) => {
    if (!this.#isStarted) throw new WebhookError({ what: 'webhook server has not been started yet' });
    const { connect } = await import('node:tls');
    await new Promise<void>((resolve, reject) => {
      const { host } = this.#options;
      const where = { port: this.#port ?? 0, host: host === undefined || host === '' ? 'localhost' : host };
      // The check tests reachability, not identity: the certificate may be for other names.
      const socket = connect({ ...where, rejectUnauthorized: false }, () => {
        socket.destroy();
        resolve();
      });
      const unreachable = (error: Error): void =>
        reject(new WebhookError({ what: 'webhook server is not reachable', why: error.message }));
      socket.once('error', unreachable);
      signal.addEventListener('abort', () => socket.destroy(new Error('timed out')), { once: true });
    });
  };

  /** Stops accepting requests and waits at most ten seconds for requests in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStarted = false;
    this.#isStopped = true;
    await this.#certificate[Symbol.asyncDispose]();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      const timer = this.#parts.clock.setTimer(drainMs, () => this.#server.closeAllConnections());
      this.#server.close(() => {
        timer[Symbol.dispose]();
        resolve();
      });
      this.#server.closeIdleConnections();
    });
  }

  async #listen({ port, host }: { readonly port: number; readonly host: string }): Promise<number> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen({ port, ...(host !== '' && { host }) }, resolve);
      });
    } catch (cause) {
      throw new BindError('webhooks', { address: `${host}:${port}`, cause });
    }
    return (this.#server.address() as AddressInfo).port;
  }
}
