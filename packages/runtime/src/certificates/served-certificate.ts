import type { SecureContextOptions, Server } from 'node:tls';
import type { KeyPair } from '@kubewright/apimachinery';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';

/** What {@link ServedCertificate} needs besides its source. */
export type ServedCertificateParts = Omit<CertificateParts, 'publish'>;

/** Keeps a TLS server's certificate as its source has it. New connections get the new one; those that are open go on. */
export class ServedCertificate implements AsyncDisposable {
  readonly #server: Server;
  readonly #context: Pick<SecureContextOptions, 'minVersion' | 'ca'>;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** @param context - what every certificate is served with: the oldest version of TLS, who may call. */
  constructor(server: Server, context: Pick<SecureContextOptions, 'minVersion' | 'ca'> = { minVersion: 'TLSv1.2' }) {
    this.#server = server;
    this.#context = context;
  }

  /**
   * Runs the source; resolves when the first certificate is served.
   *
   * @param failed - told when the source ends with an error after that.
   * @throws CertificateError (KW3030) when the source cannot give a first one.
   */
  async start(
    source: CertificateSource,
    { parts, failed }: { readonly parts: ServedCertificateParts; readonly failed: (error: unknown) => void },
  ): Promise<void> {
    let isServed = false;
    await new Promise<void>((resolve, reject) => {
      const publish = ({ key, certificate }: KeyPair): void => {
        this.#server.setSecureContext({ ...this.#context, key, cert: certificate });
        isServed = true;
        resolve();
      };
      this.#running = source.run({ ...parts, publish }, this.#stop.signal).then(
        // Stopped before it had one: nobody waits for it any more.
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
    await this.#running;
  }
}
