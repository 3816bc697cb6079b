import type { SecureContextOptions, Server } from 'node:tls';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';
import { followClientAuthority, readClientAuthority } from './client-authority.ts';

/** The dependencies that {@link ServedCertificate} passes to its source. */
export type ServedCertificateParts = Omit<CertificateParts, 'publish'>;

/** TLS settings that apply to every certificate of a server. */
export interface ServedContext extends Pick<SecureContextOptions, 'minVersion' | 'ca'> {
  /**
   * File of the certificate authority that must have issued callers' certificates; reread when the file changes. Takes
   * precedence over `ca`.
   */
  readonly clientCaFile?: string | undefined;
}

/**
 * Keeps a TLS server's certificate in sync with its source. New connections get the latest certificate; open connections continue.
 */
export class ServedCertificate implements AsyncDisposable {
  readonly #server: Server;
  readonly #context: Pick<SecureContextOptions, 'minVersion' | 'ca'>;
  readonly #clientCaFile: string | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  /** Contents of `clientCaFile`, if set. */
  #clientCa: string | undefined;
  #pair: KeyPair | undefined;

  /**
   * @param context - settings for every certificate: the minimum TLS version, and the authority that must have issued callers'
   * certificates.
   */
  constructor(server: Server, context: ServedContext = { minVersion: 'TLSv1.2' }) {
    const { clientCaFile, ...rest } = context;
    this.#server = server;
    this.#context = rest;
    this.#clientCaFile = clientCaFile;
  }

  /**
   * Runs the source; resolves once the first certificate is served.
   *
   * @param failed - called if the source fails after the first certificate.
   * @throws CertificateError (KW3030) when the source cannot provide a first certificate, or `clientCaFile` cannot be read.
   */
  async start(
    source: CertificateSource,
    { parts, failed }: { readonly parts: ServedCertificateParts; readonly failed: (error: unknown) => void },
  ): Promise<void> {
    await this.#startFollowing(parts);
    let isServed = false;
    await new Promise<void>((resolve, reject) => {
      const publish = (pair: KeyPair): void => {
        this.#pair = pair;
        this.#apply();
        isServed = true;
        resolve();
      };
      this.#running = source.run({ ...parts, publish }, this.#stop.signal).then(
        // The server was stopped before it had a certificate; the caller no longer needs a certificate.
        () => resolve(),
        (error: unknown) => {
          if (!isServed) reject(error instanceof Error ? error : new Error(String(error)));
          else if (!this.#stop.signal.aborted) failed(error);
        },
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#running, this.#following]);
  }

  /**
   * Reads `clientCaFile` and starts polling it. Runs before the first certificate is served, so that no connection is
   * accepted while the authority of callers is unknown.
   */
  async #startFollowing({ clock, log }: ServedCertificateParts): Promise<void> {
    const path = this.#clientCaFile;
    if (path === undefined) return;
    const current = await readClientAuthority(path);
    this.#clientCa = current;
    const onChange = (text: string): void => {
      this.#clientCa = text;
      this.#apply();
    };
    this.#following = followClientAuthority(path, { clock, log, signal: this.#stop.signal, current, onChange });
  }

  #apply(): void {
    if (!this.#pair || this.#stop.signal.aborted) return;
    const { key, certificate } = this.#pair;
    const ca = this.#clientCa === undefined ? {} : { ca: this.#clientCa };
    this.#server.setSecureContext({ ...this.#context, ...ca, key, cert: certificate });
  }
}
