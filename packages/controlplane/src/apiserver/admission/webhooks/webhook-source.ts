import type { CelEnvironment } from '@kubewright/schema';
import { eachChange, type Storage, type StoredObject } from '../../../storage/index.ts';
import { type Webhook, type WebhookSpec, webhooksOf } from './webhook.ts';

const decoder = new TextDecoder();

/** The webhooks of one kind of configuration, as they are stored right now. */
export class WebhookSource implements Disposable {
  readonly #prefix: string;
  readonly #environment: CelEnvironment;
  readonly #configurations = new Map<string, readonly Webhook[]>();
  #webhooks: readonly Webhook[] | undefined;
  #subscription: Disposable | undefined;

  constructor(
    resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
    environment: CelEnvironment,
  ) {
    this.#prefix = `/registry/admissionregistration.k8s.io/${resource}/`;
    this.#environment = environment;
  }

  /** Reads what is stored and follows changes in the turn in which they become visible. */
  async start(storage: Storage): Promise<void> {
    const { objects, revision } = await storage.list({ prefix: this.#prefix });
    for (const stored of objects) this.#set(stored);
    const apply = eachChange(({ key, current }) => {
      this.#webhooks = undefined;
      if (current) this.#set(current);
      else this.#configurations.delete(key);
    });
    this.#subscription = storage.watch({ prefix: this.#prefix, fromRevision: revision }, apply);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** In the order in which they are called: configurations by name, webhooks as they are written. */
  get webhooks(): readonly Webhook[] {
    this.#webhooks ??= [...this.#configurations].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks);
    return this.#webhooks;
  }

  #set({ key, bytes }: StoredObject): void {
    // Validated when it was written.
    const configuration = JSON.parse(decoder.decode(bytes)) as {
      readonly metadata: { readonly name?: string };
      readonly webhooks?: readonly WebhookSpec[];
    };
    this.#configurations.set(key, webhooksOf(configuration, this.#environment));
  }
}
