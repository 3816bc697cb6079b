import { apiVersionOf, type Clock, type KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceCatalog, ResourceDefinition } from '../../registry/index.ts';
import { ServedForm } from '../../registry/served-form.ts';
import type { Storage, StoredObject } from '../../storage/index.ts';
import type { ParamRef, PolicyObject } from './policy-types.ts';
import { SelectedParams } from './selected-params.ts';

/** Thrown when a policy or a binding cannot be used; the policy's `failurePolicy` decides whether the request fails. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError';
}

/** Options for {@link PolicyParams}. */
export interface PolicyParamsOptions {
  readonly catalog: ResourceCatalog;
  readonly storage: Storage;
  readonly clock: Clock;
}

/**
 * Reads the parameters of policies from storage. Parameters that a selector matches are watched until a policy or a binding
 * changes.
 */
export class PolicyParams implements Disposable {
  readonly #options: PolicyParamsOptions;
  readonly #forms = new WeakMap<ResourceDefinition, ParamForm>();
  readonly #selections = new Map<
    string,
    { readonly definition: ResourceDefinition; readonly params: SelectedParams }
  >();
  #disposed = false;

  constructor(options: PolicyParamsOptions) {
    this.#options = options;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const { params } of this.#selections.values()) params[Symbol.dispose]();
    this.#selections.clear();
  }

  /** Returns the definition of a policy's parameters, or undefined if it has none. @throws PolicyConfigurationError */
  definition(kind: PolicyObject['spec']['paramKind']): ResourceDefinition | undefined {
    if (!kind) return undefined;
    const found = this.#options.catalog
      .all()
      .find((one) => one.kind === kind.kind && apiVersionOf(one) === kind.apiVersion && one.virtual === undefined);
    if (found) return found;
    const full = `${kind.apiVersion}, Kind=${kind.kind}`;
    throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${full}'`);
  }

  /**
   * Returns the parameters to evaluate a policy with: `[null]` if the policy or the binding declares no parameters, or
   * an empty list if no parameters are found and the binding allows that. Mirrors `CollectParams` (1.36).
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
    const stored = await this.#options.storage.get(key);
    return stored ? [await this.#served(definition, stored)] : [];
  }

  async #selected(
    definition: ResourceDefinition,
    { selector = {} }: ParamRef,
    prefix: string,
  ): Promise<readonly KubernetesObject[]> {
    const key = JSON.stringify([prefix, apiVersionOf(definition), selector]);
    const known = this.#selections.get(key);
    if (known?.definition === definition) return known.params.all();
    known?.params[Symbol.dispose]();
    const { storage, clock } = this.#options;
    const served = (stored: StoredObject): Promise<KubernetesObject> => this.#served(definition, stored);
    const converts = definition.converter !== undefined;
    const params = new SelectedParams({ storage, clock, prefix, selector, converts, served });
    this.#selections.set(key, { definition, params });
    try {
      return await params.all();
    } catch (error) {
      this.#selections.delete(key);
      params[Symbol.dispose]();
      throw error;
    } finally {
      // The policies changed while this request was in progress.
      if (this.#disposed) params[Symbol.dispose]();
    }
  }

  #served(definition: ResourceDefinition, stored: StoredObject): Promise<KubernetesObject> {
    let form = this.#forms.get(definition);
    if (!form) {
      form = new ParamForm(definition);
      this.#forms.set(definition, form);
    }
    return form.object(stored);
  }
}

/** Converts parameters to one version, and caches them as long as the stored bytes are in memory. */
class ParamForm {
  readonly #form: ServedForm;
  readonly #converted = new WeakMap<Uint8Array, KubernetesObject>();

  constructor(definition: ResourceDefinition) {
    this.#form = new ServedForm(definition);
  }

  async object(stored: StoredObject): Promise<KubernetesObject> {
    const { definition } = this.#form;
    if (!definition.converter) return this.#form.object(stored);
    const known = this.#converted.get(stored.bytes);
    if (known) return known;
    const draft = await definition.converter.convert(this.#form.draft(stored), apiVersionOf(definition));
    const object = draft as unknown as KubernetesObject; // the draft has complete metadata
    this.#converted.set(stored.bytes, object);
    return object;
  }
}
