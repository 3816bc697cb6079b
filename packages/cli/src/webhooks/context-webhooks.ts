import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { CliEnvironment } from '../program/cli-environment.ts';
import type { Project } from '../project/find-project.ts';
import type { Target } from '../target/apply-objects.ts';
import { type LocalCertificates, localCertificates } from './local-certificates.ts';
import { atLocalAddress, type LocalAddress } from './local-objects.ts';
import { proveReachable } from './reachability.ts';
import { webhookAddress } from './webhook-address.ts';
import { WebhookFront } from './webhook-front.ts';

/** Options for webhooks in an existing cluster. */
export interface ContextWebhooksOptions {
  readonly project: Project;
  readonly target: Target;
  /** Address or name of this machine, as seen by the API server. */
  readonly host: string;
}

/** Serves the webhooks of an operator under development in an existing cluster, whose API server calls this machine. */
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

  static async start({ clock }: CliEnvironment, options: ContextWebhooksOptions): Promise<ContextWebhooks> {
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

  /** Flags for the operator. */
  get flags(): readonly string[] {
    return this.#front.flags;
  }

  /** The operator's port. */
  get port(): number {
    return this.#front.operatorPort;
  }

  /** Returns the object with references to the operator's Service replaced by the address of this machine. */
  local(object: UnstructuredObject): UnstructuredObject {
    return atLocalAddress(object, this.#address);
  }

  /** Checks once that the API server can reach this machine. @throws CliError KW7309 */
  async prove(): Promise<void> {
    if (this.#isProven) return;
    const { project, target } = this.#options;
    await proveReachable(target, { project, address: this.#address, wasProbed: () => this.#front.wasProbed });
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
