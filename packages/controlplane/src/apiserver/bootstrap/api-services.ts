import { type Clock, formatTime } from '@kubewright/apimachinery';
import type { ApiHandler } from '../http/index.ts';
import type { ResourceCatalog } from '../registry/index.ts';
import { asServer } from './as-server.ts';
import { BootstrapError } from './bootstrap-error.ts';

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** How upstream ranks the groups that it serves itself (1.36); within a group, newer versions stand higher. */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  '': 18000,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  apps: 17800,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'coordination.k8s.io': 16500,
  'discovery.k8s.io': 16200,
  'events.k8s.io': 17750,
  'flowcontrol.apiserver.k8s.io': 16100,
  'networking.k8s.io': 17200,
  'node.k8s.io': 16300,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'resource.k8s.io': 16200,
  'scheduling.k8s.io': 16600,
  'storage.k8s.io': 16800,
};
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
  '/v1': 1,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
  'autoscaling/v2': 30,
};

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly custom: boolean;
}

/**
 * Keeps the APIService objects equal to what the server serves: one for each group and version, `Local` and always
 * available. Mirrors the autoregister and the local-availability controller of kube-aggregator (1.36).
 */
export class ApiServices {
  readonly #catalog: ResourceCatalog;
  readonly #ask: ReturnType<typeof asServer>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: {
    readonly handle: ApiHandler;
    readonly catalog: ResourceCatalog;
    readonly clock: Clock;
    readonly onError: (error: unknown) => void;
  }) {
    this.#catalog = options.catalog;
    this.#ask = asServer(options.handle);
    this.#clock = options.clock;
    this.#onError = options.onError;
  }

  /** Catches up with the catalog; calls that come meanwhile are served by one more round. */
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
      // The group of APIServices serves itself, whatever they say.
      if (group === 'apiregistration.k8s.io') continue;
      const name = `${version}.${group}`;
      if (!wanted.has(name)) wanted.set(name, { group, version, custom });
    }
    const { items } = JSON.parse((await this.#expect('GET', PATH, undefined)).text) as {
      readonly items: readonly { readonly metadata: { readonly name: string; readonly labels?: object } }[];
    };
    const present = new Set(items.map(({ metadata }) => metadata.name));
    for (const [name, one] of wanted) if (!present.has(name)) await this.#make(name, one);
    for (const { metadata } of items) {
      const ours = metadata.labels !== undefined && Object.hasOwn(metadata.labels, MANAGED);
      if (ours && !wanted.has(metadata.name)) await this.#ask('DELETE', `${PATH}/${metadata.name}`);
    }
  }

  async #make(name: string, { group, version, custom }: Wanted): Promise<void> {
    const object = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name, labels: { [MANAGED]: custom ? 'true' : 'onstart' } },
      spec: {
        ...(group !== '' && { group }),
        version,
        groupPriorityMinimum: GROUP_PRIORITIES[group] ?? 1000,
        versionPriority: custom ? 100 : (VERSION_PRIORITIES[`${group}/${version}`] ?? 15),
      },
    };
    await this.#expect('POST', PATH, object);
    const condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(this.#clock.now()),
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    await this.#expect('PATCH', `${PATH}/${name}/status`, { status: { conditions: [condition] } });
  }

  async #expect(method: string, path: string, body: unknown): Promise<{ readonly text: string }> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { status, text } = await this.#ask(method, path, { body, contentType });
    if (status >= 300 && status !== 409) {
      throw new BootstrapError(`keeping APIServices equal to what is served: ${method} ${path}: ${status} ${text}`);
    }
    return { text };
  }
}
