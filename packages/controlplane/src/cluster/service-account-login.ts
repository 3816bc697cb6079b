import { writeFileSync } from 'node:fs';
import type { Clock, Timer } from '@kubewright/apimachinery';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';

/** Lifetime asked for each token, in seconds; a new one is fetched when four fifths are over. */
const TOKEN_SECONDS = 3_600;

/** What a {@link ServiceAccountLogin} works with. */
export interface ServiceAccountLoginOptions {
  /** May create tokens. */
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly name: string;
  /** File that always holds a valid token. */
  readonly tokenFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps a valid token of a service account in a file, for a program outside pods that runs as that account. */
export class ServiceAccountLogin implements Disposable {
  readonly #options: ServiceAccountLoginOptions;
  #timer: Timer | undefined;
  #disposed = false;

  constructor(options: ServiceAccountLoginOptions) {
    this.#options = options;
  }

  /** Fetches a token, writes it, and arranges for the next one. */
  async renew(): Promise<void> {
    const { client, namespace, name, tokenFile, clock } = this.#options;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: TOKEN_SECONDS },
    };
    const accounts = client.resource(ServiceAccount).subresource('token');
    const { status } = await accounts.create<{ status: { token: string } }>({ namespace, name }, body);
    writeFileSync(tokenFile, status.token, { mode: 0o600 });
    if (this.#disposed) return;
    this.#timer = clock.setTimer(TOKEN_SECONDS * 800, () => void this.#renewLater(), { unref: true });
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
      log.error('cannot renew the token of a service account; trying again in a minute', { namespace, name, error });
      if (!this.#disposed) this.#timer = clock.setTimer(60_000, () => void this.#renewLater(), { unref: true });
    }
  }
}
