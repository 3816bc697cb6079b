import { isNotFound, systemClock } from '@kubewright/apimachinery';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { TestEnvironmentError } from './test-environment-error.ts';

/** Time limit for the namespace's service account, in milliseconds. */
const accountMs = 20_000;

/**
 * A namespace of a {@link TestEnvironment} for one test. Disposing it deletes the namespace, without waiting until it is gone.
 *
 * @example
 * ```ts
 * const settingsIn = async ({ client, name }: TestNamespace): Promise<readonly string[]> =>
 *   (await client.resource(ConfigMap).list({ namespace: name })).items.map(({ metadata }) => metadata.name);
 * await using environment = await TestEnvironment.start();
 * await using namespace = await environment.namespace();
 * console.log(await settingsIn(namespace));
 * ```
 */
export class TestNamespace implements AsyncDisposable {
  readonly name: string;
  /** A client that is bound to the namespace, and acts as administrator. */
  readonly client: KubernetesClient;
  readonly #remove: () => Promise<unknown>;

  private constructor(client: KubernetesClient, name: string) {
    this.name = name;
    this.client = client.with({ namespace: name });
    this.#remove = () => client.resource(Namespace).delete({ name });
  }

  /** Creates the namespace. Resolves once it has the service account that pods use, if the cluster creates one. */
  static async create(
    client: KubernetesClient,
    { hasServiceAccounts }: { readonly hasServiceAccounts: boolean },
  ): Promise<TestNamespace> {
    const { metadata } = await client.resource(Namespace).create(Namespace({ metadata: { generateName: 'test-' } }));
    const namespace = new TestNamespace(client, metadata.name);
    if (!hasServiceAccounts) return namespace;
    const late = new AbortController();
    const what = `namespace ${namespace.name} has no service account after ${accountMs / 1_000} s`;
    using _timer = systemClock.setTimer(accountMs, () => late.abort(new TestEnvironmentError({ what })), {
      unref: true,
    });
    const { signal } = late;
    await namespace.client.resource(ServiceAccount).waitFor({ name: 'default' }, () => true, { signal });
    return namespace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#remove();
    } catch (error) {
      if (!isNotFound(error)) throw error; // the test deleted it
    }
  }
}
