import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Target } from '../../deploy/apply-objects.ts';
import type { Surroundings } from '../../program/surroundings.ts';
import type { Project } from '../../project/find-project.ts';
import { type LocalCertificates, localCertificates } from './local-certificates.ts';
import { atLocalAddress, type LocalAddress } from './local-objects.ts';
import { proveReachable } from './reachability.ts';
import { webhookAddress } from './webhook-address.ts';
import { WebhookFront } from './webhook-front.ts';

/** What webhooks in a cluster of somebody else's are made of. */
export interface ContextWebhooksOptions {
  readonly project: Project;
  readonly target: Target;
  /** Address or name of this machine, as the API server knows it. */
  readonly host: string;
}

/** Webhooks of an operator that is developed in a cluster that is there already: it calls this machine. */
export class ContextWebhooks implements AsyncDisposable {
  readonly #options: ContextWebhooksOptions;
  readonly #front: WebhookFront;
  readonly #certificates: LocalCertificates;
  #isProven = false;

  private constructor(
    options: ContextWebhooksOptions,
    parts: { readonly front: WebhookFront; readonly certificates: LocalCertificates },
  ) {
    this.#options = options;
    this.#front = parts.front;
    this.#certificates = parts.certificates;
  }

  static async start({ clock }: Surroundings, options: ContextWebhooksOptions): Promise<ContextWebhooks> {
    const folder = join(options.project.root, '.kubewright', 'dev', 'webhooks');
    const address = webhookAddress(options.host);
    const certificates = localCertificates(folder, { nowMs: clock.now(), host: address.host });
    try {
      const front = await WebhookFront.start({ certificates, clock, address });
      return new ContextWebhooks(options, { front, certificates });
    } catch (error) {
      certificates[Symbol.dispose]();
      throw error;
    }
  }

  /** What the operator is to be started with. */
  get flags(): readonly string[] {
    return this.#front.flags;
  }

  /** The same object, leading here in place of the operator's Service. */
  local(object: UnstructuredObject): UnstructuredObject {
    return atLocalAddress(object, this.#address);
  }

  /** Sees once that the API server can call. @throws CliError KW7309 */
  async prove(): Promise<void> {
    if (this.#isProven) return;
    const { project, target } = this.#options;
    await proveReachable(target, { project, address: this.#address, wasAsked: () => this.#front.wasProbed });
    this.#isProven = true;
  }

  /** @see WebhookFront.operatorIsDown */
  operatorIsDown(why: string | undefined): void {
    this.#front.operatorIsDown(why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#front[Symbol.asyncDispose]();
    this.#certificates[Symbol.dispose]();
  }

  get #address(): LocalAddress {
    return { url: this.#front.url, authority: this.#certificates.authority };
  }
}
