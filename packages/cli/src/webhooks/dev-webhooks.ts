import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { CliEnvironment } from '../program/cli-environment.ts';
import type { Project } from '../project/find-project.ts';
import { isAdmission } from '../render/webhook-objects.ts';
import { deleteObjects, type Target } from '../target/apply-objects.ts';
import { type LocalCertificates, localCertificates } from './local-certificates.ts';
import { atLocalAddress, isCertificate } from './local-objects.ts';
import { WebhookFront } from './webhook-front.ts';

/**
 * Serves the webhooks of an operator under development without a tunnel, without requiring certificates from the user,
 * and without rejecting writes while the operator restarts. The configurations are removed at the end, so that writes
 * work when the cluster starts again without the operator.
 */
export class DevWebhooks implements AsyncDisposable {
  readonly #front: WebhookFront;
  readonly #certificates: LocalCertificates;
  readonly #client: KubernetesClient;
  readonly #environment: CliEnvironment;
  /** All configurations that can exist, under the names that the generator uses. */
  readonly #configurations: readonly UnstructuredObject[];
  /** Kinds of configurations that can exist. */
  readonly #present = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);

  private constructor(parts: {
    readonly front: WebhookFront;
    readonly certificates: LocalCertificates;
    readonly client: KubernetesClient;
    readonly environment: CliEnvironment;
    readonly project: Project;
  }) {
    this.#front = parts.front;
    this.#certificates = parts.certificates;
    this.#client = parts.client;
    this.#environment = parts.environment;
    this.#configurations = ['Mutating', 'Validating'].map((type) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${type}WebhookConfiguration`,
      metadata: { name: `${parts.project.name}-${type.toLowerCase()}-webhook-configuration` },
    }));
  }

  /**
   * Starts the server, and removes webhook configurations that a killed run left behind, because nothing serves them. `folder`
   * holds the operator's certificate; it defaults to the folder of the project's `dev`.
   */
  static async start(
    environment: CliEnvironment,
    {
      project,
      client,
      folder,
    }: { readonly project: Project; readonly client: KubernetesClient; readonly folder?: string },
  ): Promise<DevWebhooks> {
    const { clock } = environment;
    const place = folder ?? join(project.root, '.kubewright', 'dev');
    const certificates = localCertificates(join(place, 'webhooks'), { nowMs: clock.now() });
    const front = await WebhookFront.start({ certificates, clock });
    const started = new DevWebhooks({ front, certificates, client, environment, project });
    await started.keepOnly([]);
    return started;
  }

  /** Flags for the operator. */
  get flags(): readonly string[] {
    return this.#front.flags;
  }

  /** The port that the operator's webhooks listen on. */
  get port(): number {
    return this.#front.operatorPort;
  }

  /**
   * Returns the objects with references to the operator's Service replaced by the address of this machine. Omits
   * cert-manager objects, whose kinds the embedded cluster does not serve.
   */
  local(objects: readonly UnstructuredObject[]): readonly UnstructuredObject[] {
    const address = { url: this.#front.url, authority: this.#certificates.authority };
    for (const object of objects) if (isAdmission(object)) this.#present.add(object.kind);
    return objects.filter((object) => !isCertificate(object)).map((object) => atLocalAddress(object, address));
  }

  /** Removes configurations that are not among the objects: their last webhook was removed from the code. */
  async keepOnly(
    objects: readonly UnstructuredObject[],
    environment: Target['environment'] = this.#environment,
  ): Promise<void> {
    const kinds = new Set(objects.map(({ kind }) => kind));
    const gone = this.#configurations.filter(({ kind }) => !kinds.has(kind) && this.#present.has(kind));
    if (gone.length === 0) return;
    await deleteObjects({ client: this.#client, environment }, gone);
    for (const { kind } of gone) this.#present.delete(kind);
  }

  /** @see WebhookFront.operatorIsDown */
  operatorIsDown(why: string | undefined): void {
    this.#front.operatorIsDown(why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      // Use a new signal, because the removal must run even after Ctrl-C has aborted the program's signal.
      await this.keepOnly([], { ...this.#environment, signal: new AbortController().signal });
    } finally {
      await this.#front[Symbol.asyncDispose]();
      this.#certificates[Symbol.dispose]();
    }
  }
}
