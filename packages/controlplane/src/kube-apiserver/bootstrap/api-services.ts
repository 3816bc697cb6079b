import type { ApiHandler, GroupPriorities, ResourceCatalog } from '@kubewright/apiserver';
import { asServer, prioritiesOf } from '@kubewright/apiserver/internal';
import { BootstrapError } from './bootstrap-error.ts';

const apiServicePath = '/apis/apiregistration.k8s.io/v1/apiservices';
const managed = 'kube-aggregator.kubernetes.io/automanaged';

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly custom: boolean;
}

/**
 * Keeps APIService objects in sync with the API groups that the server serves: one `Local`, always available APIService per group
 * and version. Mirrors the autoregister and local-availability controllers of kube-aggregator (1.36).
 */
export class ApiServices {
  readonly #catalog: ResourceCatalog;
  readonly #priorities: GroupPriorities;
  readonly #send: ReturnType<typeof asServer>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: {
    readonly handle: ApiHandler;
    readonly catalog: ResourceCatalog;
    readonly priorities: GroupPriorities;
    readonly onError: (error: unknown) => void;
  }) {
    this.#catalog = options.catalog;
    this.#priorities = options.priorities;
    this.#send = asServer(options.handle);
    this.#onError = options.onError;
  }

  /** Syncs with the catalog. Calls during a sync are coalesced into one further sync. */
  refresh(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        await this.#round();
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  async #round(): Promise<void> {
    const wanted = new Map<string, Wanted>();
    for (const { group, version, custom } of this.#catalog.all()) {
      // The group of APIServices itself is always served locally, so it needs no APIService.
      if (group === 'apiregistration.k8s.io') continue;
      const name = `${version}.${group}`;
      if (!wanted.has(name)) wanted.set(name, { group, version, custom });
    }
    const { items } = JSON.parse((await this.#expect('GET', apiServicePath, undefined)).text) as {
      readonly items: readonly { readonly metadata: { readonly name: string; readonly labels?: object } }[];
    };
    const present = new Set(items.map(({ metadata }) => metadata.name));
    for (const [name, one] of wanted) if (!present.has(name)) await this.#make(name, one);
    for (const { metadata } of items) {
      const ours = metadata.labels !== undefined && Object.hasOwn(metadata.labels, managed);
      if (ours && !wanted.has(metadata.name)) await this.#send('DELETE', `${apiServicePath}/${metadata.name}`);
    }
  }

  async #make(name: string, wanted: Wanted): Promise<void> {
    const { group, version, custom } = wanted;
    const { groupPriority, versionPriority } = prioritiesOf(wanted, this.#priorities);
    const object = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name, labels: { [managed]: custom ? 'true' : 'onstart' } },
      spec: {
        ...(group !== '' && { group }),
        version,
        groupPriorityMinimum: groupPriority,
        versionPriority,
      },
    };
    await this.#expect('POST', apiServicePath, object);
  }

  async #expect(method: string, path: string, body: unknown): Promise<{ readonly text: string }> {
    const { status, text } = await this.#send(method, path, { body });
    if (status >= 300 && status !== 409) {
      throw new BootstrapError({ what: `cannot register APIServices: ${method} ${path}: ${status} ${text}` });
    }
    return { text };
  }
}
