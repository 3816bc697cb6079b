import type { SecureContextOptions, Server } from 'node:tls';
import type { KeyPair } from '@kubewright/apimachinery';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';
import { followClientAuthority, readClientAuthority } from './client-authority.ts';

/** What {@link ServedCertificate} needs besides its source. */
export type ServedCertificateParts = Omit<CertificateParts, 'publish'>;

/** What every certificate of a server is served with. */
export interface ServedContext extends Pick<SecureContextOptions, 'minVersion' | 'ca'> {
  /** File of the authority that callers' certificates must be of; read again as it changes. It goes before `ca`. */
  readonly clientCaFile?: string;
}

/** Keeps a TLS server's certificate as its source has it. New connections get the new one; those that are open go on. */
export class ServedCertificate implements AsyncDisposable {
  readonly #server: Server;
  readonly #context: Pick<SecureContextOptions, 'minVersion' | 'ca'>;
  readonly #clientCaFile: string | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  /** Of the file, where there is one. */
  #clientCa: string | undefined;
  #pair: KeyPair | undefined;

  /** @param context - what every certificate is served with: the oldest version of TLS, who may call. */
  constructor(server: Server, context: ServedContext = { minVersion: 'TLSv1.2' }) {
    const { clientCaFile, ...rest } = context;
    this.#server = server;
    this.#context = rest;
    this.#clientCaFile = clientCaFile;
  }

  /**
   * Runs the source; resolves when the first certificate is served.
   *
   * @param failed - told when the source ends with an error after that.
   * @throws CertificateError (KW3030) when the source cannot give a first one, or the authority of callers cannot be read.
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
    await Promise.all([this.#running, this.#following]);
  }

  /** Before the first certificate: nobody is let in while it is not known who may be. */
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
