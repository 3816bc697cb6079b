import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  isNotFound,
  type KubernetesObject,
  sleep,
  systemClock,
  systemRandom,
} from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig, processEnvironment } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { applyManifests } from '../apply-manifests.ts';
import { ComponentSelection } from '../component-selection.ts';
import { EmbeddedCluster } from '../embedded-cluster.ts';
import { BinaryControlPlane } from './binary-control-plane.ts';
import { type Env, type TestBackend, testBackend } from './test-backend.ts';
import { TestEnvironmentError } from './test-environment-error.ts';
import { TestNamespace } from './test-namespace.ts';

/** Options for {@link TestEnvironment.start}. */
interface TestEnvironmentOptions {
  /** YAML files to apply. Once `start` resolves, the kinds that they define are served. @defaultValue none */
  readonly manifests?: readonly string[];
  /**
   * The components of the embedded cluster, as for `EmbeddedCluster.start`. envtest's control plane runs only the API server,
   * regardless of this list.
   *
   * @defaultValue the list in `KUBEWRIGHT_COMPONENTS`, otherwise `['*']`
   */
  readonly components?: readonly string[];
  /** The clock of the embedded cluster, such as a `VirtualClock`. @defaultValue the system clock */
  readonly clock?: Clock;
  /** @defaultValue the environment of this process */
  readonly env?: Env;
}

/** Time limit for a kind to be served, in milliseconds. */
const servedMs = 20_000;

/**
 * A cluster for tests, like Go's envtest, and selected by the same environment variables. Without them it is the embedded
 * cluster, with the components that `KUBEWRIGHT_COMPONENTS` lists; with `KUBEBUILDER_ASSETS` it runs etcd and kube-apiserver;
 * with `USE_EXISTING_CLUSTER=true` it is the cluster of the kubeconfig. Kinds that it adds to an existing cluster are removed on
 * dispose, with their objects. Tests must remove everything else themselves, so run each test in its own namespace.
 *
 * @example
 * ```ts
 * await using environment = await TestEnvironment.start({ manifests: ['config/crd/bases/example.com_shops.yaml'] });
 * await using namespace = await environment.namespace();
 * await namespace.client.resource(Shop).create(shop);
 * ```
 */
export class TestEnvironment implements AsyncDisposable {
  /** A client that acts as administrator. */
  readonly client: KubernetesClient;
  /**
   * Path of the administrator's kubeconfig. For an existing cluster, the value of `KUBECONFIG`, otherwise `~/.kube/config`;
   * undefined if the tests run in a pod of that cluster and use its service account.
   */
  readonly kubeconfig: string | undefined;
  readonly backend: TestBackend['type'];
  readonly #components: ComponentSelection;
  readonly #stop: () => Promise<void>;

  private constructor(place: Place, backend: TestBackend['type']) {
    this.client = place.client;
    this.kubeconfig = place.kubeconfig;
    this.backend = backend;
    this.#components = place.components;
    this.#stop = place.stop;
  }

  /**
   * Starts a cluster, or connects to an existing one.
   *
   * @throws TestEnvironmentError if the variables are invalid, the cluster cannot be started, or the cluster does not
   *   support the option `components` or `clock`; ManifestError if a manifest cannot be applied
   */
  static async start(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
    const { manifests = [], env = process.env } = options;
    const backend = testBackend(env);
    const place = await placeOf(backend, { ...options, env });
    const environment = new TestEnvironment(place, backend.type);
    try {
      const before = backend.type === 'existing' ? await definitionsIn(place.client) : [];
      const applied = await applyManifests(place.client, { files: manifests, fieldManager: 'test-environment' });
      const brought = applied.filter(isDefinition).map(({ metadata }) => metadata?.name ?? '');
      for (const name of brought) await served(place.client, name);
      if (backend.type !== 'existing') return environment;
      const own = brought.filter((name) => !before.includes(name));
      return new TestEnvironment({ ...place, stop: () => leave(place, own) }, backend.type);
    } catch (error) {
      await place.stop();
      throw error;
    }
  }

  /**
   * True if the cluster runs a component, such as `job-controller`. envtest's control plane runs only the API server; an existing
   * cluster is expected to run all components.
   */
  runs(component: string): boolean {
    return this.#components.includes(component);
  }

  /**
   * Creates a namespace for one test, in which pods can run. Disposing the namespace deletes it, without waiting until
   * it is gone.
   */
  namespace(): Promise<TestNamespace> {
    return TestNamespace.create(this.client, { hasServiceAccounts: this.runs('serviceaccount-controller') });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

interface Place {
  readonly client: KubernetesClient;
  readonly kubeconfig: string | undefined;
  readonly components: ComponentSelection;
  readonly stop: () => Promise<void>;
}

async function placeOf(
  backend: TestBackend,
  { env, components: given, clock }: TestEnvironmentOptions & { readonly env: Env },
): Promise<Place> {
  if (clock && backend.type !== 'embedded') throw notOurs('clock', 'only the embedded cluster supports this option');
  if (given && backend.type === 'existing')
    throw notOurs('components', 'the components of an existing cluster cannot be chosen');
  if (backend.type === 'existing') {
    const { client, kubeconfig } = await existingCluster(env);
    const components = new ComponentSelection(['*']);
    return { client, kubeconfig, components, stop: () => client[Symbol.asyncDispose]() };
  }
  if (backend.type === 'embedded') {
    const components = given ?? (env['KUBEWRIGHT_COMPONENTS'] || undefined)?.split(',') ?? ['*'];
    const cluster = await EmbeddedCluster.start({ components, clock });
    return {
      client: cluster.client(),
      kubeconfig: cluster.kubeconfig,
      components: new ComponentSelection(components),
      stop: () => cluster.stop(),
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-test-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const directory = join(folder, 'cluster');
  const parts = { directory, clock: systemClock, random: systemRandom, log: silentLogger };
  try {
    const plane = await BinaryControlPlane.start({ ...backend, ...parts });
    const client = clientFromConfig(await loadClientConfig({ kubeconfig: plane.kubeconfig }));
    const stop = async (): Promise<void> => {
      await client[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
      remove();
    };
    return { client, kubeconfig: plane.kubeconfig, components: new ComponentSelection(['apiserver']), stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Connects to an existing cluster. The client's source names a context, too, so the path of the kubeconfig is found separately. */
async function existingCluster(env: Env): Promise<Pick<Place, 'client' | 'kubeconfig'>> {
  const own = processEnvironment();
  const environment = { ...own, env: { ...own.env, KUBECONFIG: env['KUBECONFIG'] } };
  const config = await loadClientConfig({ environment });
  const client = clientFromConfig(config);
  if (config.source === 'in-cluster') return { client, kubeconfig: undefined };
  return { client, kubeconfig: env['KUBECONFIG'] || join(own.homeDirectory ?? '', '.kube', 'config') };
}

function notOurs(option: string, why: string): TestEnvironmentError {
  const remedy = `remove "${option}", or unset USE_EXISTING_CLUSTER and KUBEBUILDER_ASSETS to use the embedded cluster`;
  return new TestEnvironmentError({
    what: `cannot use the option "${option}" of TestEnvironment.start`,
    why,
    remedy,
  });
}

function isDefinition({ kind }: KubernetesObject): boolean {
  return kind === 'CustomResourceDefinition';
}

async function definitionsIn(client: KubernetesClient): Promise<readonly string[]> {
  const { items } = await client.resource(CustomResourceDefinition).list();
  return items.map(({ metadata }) => metadata.name);
}

async function served(client: KubernetesClient, name: string): Promise<void> {
  const deadline = systemClock.monotonic() + servedMs;
  for (;;) {
    const { status } = await client.resource(CustomResourceDefinition).get({ name });
    if (status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True')) return;
    if (systemClock.monotonic() > deadline) {
      const why = status?.conditions?.map(({ type, message }) => `${type}: ${message}`).join('; ');
      throw new TestEnvironmentError({
        what: `CustomResourceDefinition ${name} was not established within ${servedMs / 1_000} s`,
        why,
      });
    }
    await sleep(systemClock, { ms: 50 });
  }
}

async function leave({ client, stop }: Place, definitions: readonly string[]): Promise<void> {
  try {
    for (const name of definitions) {
      await client
        .resource(CustomResourceDefinition)
        .delete({ name })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  } finally {
    await stop();
  }
}
