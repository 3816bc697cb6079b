import type { Clock, Timer } from '@kubewright/apimachinery';
import type { ApiHandler } from '../http/api-request.ts';
import { createHttpServer, type HttpServer, type HttpServerTls } from '../http/http-server.ts';
import { certificateFrom, ownCertificate, type ServingCertificate } from './serving-certificate.ts';

/**
 * Interval between reads of the certificate files, in milliseconds. Kubelets update the files of a Secret within a minute or two.
 */
const refreshMs = 60_000;
const localHosts = ['localhost', '127.0.0.1', '::1'];

/** Options for {@link SecureListener}. */
export interface SecureListenerOptions {
  readonly handle: ApiHandler;
  readonly host: string | undefined;
  readonly port: number;
  /** Folder with `tls.crt` and `tls.key`. @defaultValue a self-issued certificate */
  readonly certificates: string | undefined;
  readonly hostnames: readonly string[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Serves a handler over TLS. Picks up changes to the serving certificate and to the CAs of client certificates. */
export class SecureListener implements AsyncDisposable {
  readonly #options: SecureListenerOptions;
  #certificate: ServingCertificate;
  #clientAuthorities: string;
  #http: HttpServer | undefined;
  #timer: Timer | undefined;

  private constructor(
    options: SecureListenerOptions,
    parts: { readonly certificate: ServingCertificate; readonly clientAuthorities: string },
  ) {
    this.#options = options;
    this.#certificate = parts.certificate;
    this.#clientAuthorities = parts.clientAuthorities;
  }

  /** Starts listening. @throws ListenError if the address is not available */
  static async start(
    options: SecureListenerOptions,
    { clientAuthorities }: { readonly clientAuthorities: string },
  ): Promise<SecureListener> {
    const { handle, host, port, clock, onError } = options;
    const certificate = await readCertificate(options);
    const listener = new SecureListener(options, { certificate, clientAuthorities });
    listener.#http = await createHttpServer({
      handle,
      tls: tlsOf(certificate, clientAuthorities),
      host,
      port,
      clock,
      onError,
    });
    if (options.certificates !== undefined) listener.#follow();
    return listener;
  }

  get url(): string {
    return this.#http?.url ?? '';
  }

  get authority(): string | undefined {
    return this.#certificate.authority;
  }

  /** Replaces the CAs whose client certificates are accepted on new connections. */
  setClientAuthorities(pem: string): void {
    this.#http?.setTls(tlsOf(this.#certificate, pem));
    this.#clientAuthorities = pem;
  }

  async close(graceMs: number | undefined): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    await this.#http?.close(graceMs === undefined ? {} : { graceMs });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(undefined);
  }

  #follow(): void {
    this.#timer = this.#options.clock.setTimer(refreshMs, () => void this.#refresh(), { unref: true });
  }

  async #refresh(): Promise<void> {
    try {
      const next = await readCertificate(this.#options);
      const { certificate, key } = this.#certificate;
      if (next.certificate !== certificate || next.key !== key) {
        this.#http?.setTls(tlsOf(next, this.#clientAuthorities));
        this.#certificate = next;
      }
    } catch (error) {
      // The old certificate stays in use, for instance while the files are being replaced. The next refresh reads them again.
      this.#options.onError(error);
    }
    if (this.#timer !== undefined) this.#follow();
  }
}

function tlsOf({ key, certificate }: ServingCertificate, clientAuthorities: string): HttpServerTls {
  // Without a CA, Node would trust the public CAs. Pass the server's own certificate instead, which has signed no other
  // certificate.
  return { key, certificate, clientCa: clientAuthorities || certificate };
}

async function readCertificate(options: SecureListenerOptions): Promise<ServingCertificate> {
  const { certificates, host, hostnames, clock } = options;
  if (certificates !== undefined) return certificateFrom(certificates);
  const hosts = [...new Set([...hostnames, ...localHosts, ...(host === undefined || isWildcard(host) ? [] : [host])])];
  return ownCertificate({ hosts, nowMs: clock.now() });
}

/** Reports whether an address is a wildcard, which makes the server listen on all interfaces of the machine. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
