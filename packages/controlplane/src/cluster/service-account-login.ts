import { writeFileSync } from 'node:fs';
import type { Clock, Timer } from '@kubewright/apimachinery';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { clusterLogEvents } from '../log/cluster-log-events.ts';

/** Requested token lifetime, in seconds. A new token is fetched after four fifths of this lifetime. */
const tokenSeconds = 3_600;

/** Options for {@link ServiceAccountLogin}. */
export interface ServiceAccountLoginOptions {
  /** A client that is allowed to create tokens. */
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly name: string;
  /** File that always holds a valid token. */
  readonly tokenFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps a valid service-account token in a file, for a program outside pods that runs as that account. */
export class ServiceAccountLogin implements Disposable {
  readonly #options: ServiceAccountLoginOptions;
  #timer: Timer | undefined;
  #disposed = false;

  constructor(options: ServiceAccountLoginOptions) {
    this.#options = options;
  }

  /** Fetches a token, writes it to the file and schedules the next renewal. */
  async renew(): Promise<void> {
    const { client, namespace, name, tokenFile, clock } = this.#options;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: tokenSeconds },
    };
    const accounts = client.resource(ServiceAccount).subresource('token');
    const { status } = await accounts.create<{ status: { token: string } }>({ namespace, name }, body);
    writeFileSync(tokenFile, status.token, { mode: 0o600 });
    if (this.#disposed) return;
    this.#timer = clock.setTimer(tokenSeconds * 800, () => void this.#renewLater(), { unref: true });
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #renewLater(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      const { namespace, name, log, clock } = this.#options;
      log.error('cannot renew a service account token; retrying in 1 minute', {
        event: clusterLogEvents.tokenRenewalFailed,
        namespace,
        name,
        error,
      });
      if (!this.#disposed) this.#timer = clock.setTimer(60_000, () => void this.#renewLater(), { unref: true });
    }
  }
}
