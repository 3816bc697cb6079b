import { apiVersionOf, type KubernetesObject, LabelSelector } from '@kubewright/apimachinery';
import type { ResourceCatalog, ResourceDefinition } from '../../registry/index.ts';
import { ServedForm } from '../../registry/served-form.ts';
import type { Storage, StoredObject } from '../../storage/index.ts';
import type { ParamRef, PolicyObject } from './policy-types.ts';

/** Thrown when a policy or a binding cannot be used; the policy's failure policy decides what that means. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError';
}

/** Reads the parameters of policies from the storage. */
export class PolicyParams {
  readonly #catalog: ResourceCatalog;
  readonly #storage: Storage;
  readonly #forms = new WeakMap<ResourceDefinition, ServedForm>();

  constructor(options: { readonly catalog: ResourceCatalog; readonly storage: Storage }) {
    this.#catalog = options.catalog;
    this.#storage = options.storage;
  }

  /** Returns the definition of a policy's parameters, or undefined if it has none. @throws PolicyConfigurationError */
  definition(kind: PolicyObject['spec']['paramKind']): ResourceDefinition | undefined {
    if (!kind) return undefined;
    const found = this.#catalog
      .all()
      .find((one) => one.kind === kind.kind && apiVersionOf(one) === kind.apiVersion && one.virtual === undefined);
    if (found) return found;
    const full = `${kind.apiVersion}, Kind=${kind.kind}`;
    throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${full}'`);
  }

  /**
   * Returns the parameters with which a policy is evaluated: `null` for a policy or a binding without them, an empty list if the binding
   * does not mind that none is found. Mirrors `CollectParams` (1.36).
   *
   * @throws PolicyConfigurationError
   */
  async collect(
    definition: ResourceDefinition | undefined,
    ref: ParamRef | undefined,
    namespace: string,
  ): Promise<readonly (KubernetesObject | null)[]> {
    if (!definition || !ref) return [null];
    const scope = this.#scope(definition, ref, namespace);
    const found = ref.name
      ? await this.#one(definition, `${scope}${ref.name}`)
      : await this.#selected(definition, ref, scope);
    if (found.length > 0 || ref.parameterNotFoundAction !== 'Deny') return found;
    throw new PolicyConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }

  /** Returns the prefix of the parameters' keys. */
  #scope({ scope, storagePrefix }: ResourceDefinition, ref: ParamRef, namespace: string): string {
    if (scope === 'Cluster') {
      if (!ref.namespace) return storagePrefix;
      throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    }
    const where = ref.namespace || namespace;
    if (where !== '') return `${storagePrefix}${where}/`;
    throw new PolicyConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }

  async #one(definition: ResourceDefinition, key: string): Promise<readonly KubernetesObject[]> {
    const stored = await this.#storage.get(key);
    return stored ? [await this.#served(definition, stored)] : [];
  }

  async #selected(
    definition: ResourceDefinition,
    { selector }: ParamRef,
    prefix: string,
  ): Promise<readonly KubernetesObject[]> {
    const wanted = LabelSelector.ofObject(selector ?? {});
    const { objects } = await this.#storage.list({ prefix });
    const served = await Promise.all(objects.map((stored) => this.#served(definition, stored)));
    return served.filter(({ metadata }) => wanted.matches(metadata.labels ?? {}));
  }

  async #served(definition: ResourceDefinition, stored: StoredObject): Promise<KubernetesObject> {
    let form = this.#forms.get(definition);
    if (!form) {
      form = new ServedForm(definition);
      this.#forms.set(definition, form);
    }
    const { converter } = definition;
    if (!converter) return form.object(stored);
    return (await converter.convert(form.draft(stored), apiVersionOf(definition))) as unknown as KubernetesObject;
  }
}
