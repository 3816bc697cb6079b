import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { InstanceEnvironment } from '../environment.ts';
import type { DataDirectory } from '../server/data-directory.ts';
import { type InstanceCertificates, readCertificates, writeCertificates } from './certificates.ts';

export interface CertificateKeeperOptions {
  readonly environment: InstanceEnvironment;
  readonly data: DataDirectory;
  /** Folder that the certificates are copied to for PostgreSQL. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Interval between reads of the mounted Secrets. */
const readMs = 10_000;

/** Reads an instance's certificates from the mounted Secrets, and copies them for PostgreSQL. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #certificates: InstanceCertificates | undefined;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /** The certificates as last read. Throws before the first `read`. */
  get known(): InstanceCertificates {
    if (!this.#certificates) throw new Error('the certificates have not been read yet');
    return this.#certificates;
  }

  /** Reads the certificates, and copies them if they have changed. */
  async read(): Promise<void> {
    const { environment, data, folder } = this.#options;
    const folders = { server: environment.serverCertificates, client: environment.replicationCertificates };
    const found = await readCertificates(folders);
    if (JSON.stringify(found) === JSON.stringify(this.#certificates)) return;
    await writeCertificates(found, { data, folder });
    this.#certificates = found;
  }

  /** Reads the certificates periodically until `signal` is aborted. */
  async run({
    signal,
    onRenewed,
  }: {
    readonly signal: AbortSignal;
    readonly onRenewed: (certificates: InstanceCertificates) => void;
  }): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, { ms: readMs, signal }).catch(() => undefined);
      if (signal.aborted) return;
      const before = this.#certificates;
      await this.read().catch((error: unknown) => log.error('cannot read the certificates', { error }));
      if (this.#certificates === before) continue;
      log.info('using renewed certificates');
      onRenewed(this.known);
    }
  }
}
