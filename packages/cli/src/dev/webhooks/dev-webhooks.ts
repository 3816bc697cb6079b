import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { deleteObjects, type Target } from '../../deploy/apply-objects.ts';
import { isAdmission } from '../../deploy/webhook-readiness.ts';
import type { Surroundings } from '../../program/surroundings.ts';
import type { Project } from '../../project/find-project.ts';
import { type LocalCertificates, localCertificates } from './local-certificates.ts';
import { atLocalAddress, isCertificate } from './local-objects.ts';
import { WebhookFront } from './webhook-front.ts';

/**
 * Webhooks of an operator that is developed: no tunnel, no certificate to make, nobody locked out while it restarts. What
 * asks them is taken away at the end: whoever starts the cluster again without the operator can write.
 */
export class DevWebhooks implements AsyncDisposable {
  readonly #front: WebhookFront;
  readonly #certificates: LocalCertificates;
  readonly #client: KubernetesClient;
  readonly #surroundings: Surroundings;
  /** All that may ask, by the names that the generator gives. */
  readonly #asking: readonly UnstructuredObject[];
  /** Kinds of which one may be there. */
  readonly #present = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);

  private constructor(parts: {
    readonly front: WebhookFront;
    readonly certificates: LocalCertificates;
    readonly client: KubernetesClient;
    readonly surroundings: Surroundings;
    readonly project: Project;
  }) {
    this.#front = parts.front;
    this.#certificates = parts.certificates;
    this.#client = parts.client;
    this.#surroundings = parts.surroundings;
    this.#asking = ['Mutating', 'Validating'].map((type) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${type}WebhookConfiguration`,
      metadata: { name: `${parts.project.name}-${type.toLowerCase()}-webhook-configuration` },
    }));
  }

  /**
   * Takes away first what an earlier run left behind that was killed: nobody answers it any more. `folder` holds the
   * operator's certificate, by default that of the project's `dev`.
   */
  static async start(
    surroundings: Surroundings,
    {
      project,
      client,
      folder,
    }: { readonly project: Project; readonly client: KubernetesClient; readonly folder?: string },
  ): Promise<DevWebhooks> {
    const { clock } = surroundings;
    const place = folder ?? join(project.root, '.kubewright', 'dev');
    const certificates = localCertificates(join(place, 'webhooks'), { nowMs: clock.now() });
    const front = await WebhookFront.start({ certificates, clock });
    const started = new DevWebhooks({ front, certificates, client, surroundings, project });
    await started.keepOnly([]);
    return started;
  }

  /** What the operator is to be started with. */
  get flags(): readonly string[] {
    return this.#front.flags;
  }

  /** The same objects; what leads to the operator's Service leads here. Nothing of cert-manager, whose kinds nobody serves. */
  local(objects: readonly UnstructuredObject[]): readonly UnstructuredObject[] {
    const address = { url: this.#front.url, authority: this.#certificates.authority };
    for (const object of objects) if (isAdmission(object)) this.#present.add(object.kind);
    return objects.filter((object) => !isCertificate(object)).map((object) => atLocalAddress(object, address));
  }

  /** Takes away configurations that are not among the objects: their last webhook has gone. */
  async keepOnly(
    objects: readonly UnstructuredObject[],
    surroundings: Target['surroundings'] = this.#surroundings,
  ): Promise<void> {
    const kinds = new Set(objects.map(({ kind }) => kind));
    const gone = this.#asking.filter(({ kind }) => !kinds.has(kind) && this.#present.has(kind));
    if (gone.length === 0) return;
    await deleteObjects({ client: this.#client, surroundings }, gone);
    for (const { kind } of gone) this.#present.delete(kind);
  }

  /** @see WebhookFront.operatorIsDown */
  operatorIsDown(why: string | undefined): void {
    this.#front.operatorIsDown(why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      // Ctrl-C has ended the loop, and this must still be done.
      await this.keepOnly([], { ...this.#surroundings, signal: new AbortController().signal });
    } finally {
      await this.#front[Symbol.asyncDispose]();
      this.#certificates[Symbol.dispose]();
    }
  }
}
