import type { CelEnvironment } from '@kubewright/schema';
import { storagePrefix } from '../../registry/storage-prefix.ts';
import { followStorage, type Storage, type StoredObject } from '../../storage/index.ts';
import { type Webhook, type WebhookSpec, webhooksOf } from './webhook.ts';

const decoder = new TextDecoder();

/** The currently stored webhooks of one kind of configuration. */
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
    this.#prefix = storagePrefix({ group: 'admissionregistration.k8s.io', resource });
    this.#environment = environment;
  }

  /**
   * Reads the stored configurations, then applies each change as soon as it becomes visible, in the same turn of the
   * event loop.
   */
  async start(storage: Storage): Promise<void> {
    this.#subscription = await followStorage(storage, {
      prefix: this.#prefix,
      apply: ({ key, current }) => {
        this.#webhooks = undefined;
        if (current) this.#set(current);
        else this.#configurations.delete(key);
      },
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** Webhooks in call order: configurations by name, webhooks in their given order. */
  get webhooks(): readonly Webhook[] {
    this.#webhooks ??= [...this.#configurations].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks);
    return this.#webhooks;
  }

  #set({ key, bytes }: StoredObject): void {
    // Validated on write.
    const configuration = JSON.parse(decoder.decode(bytes)) as {
      readonly metadata: { readonly name?: string };
      readonly webhooks?: readonly WebhookSpec[];
    };
    this.#configurations.set(key, webhooksOf(configuration, this.#environment));
  }
}
