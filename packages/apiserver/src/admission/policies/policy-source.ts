import type { CelEnvironment } from '@kubewright/schema';
import { storagePrefix } from '../../registry/storage-prefix.ts';
import { followStorage, type Storage } from '../../storage/index.ts';
import { PolicyParams, type PolicyParamsOptions } from './policy-params.ts';
import type { BindingObject } from './policy-types.ts';
import { ResourceMatch } from './resource-match.ts';

const group = 'admissionregistration.k8s.io';
const decoder = new TextDecoder();

/** A stored binding with its compiled match rules. */
export interface PolicyBinding {
  readonly name: string;
  readonly spec: BindingObject['spec'];
  /** Absent if the binding restricts nothing. */
  readonly match: ResourceMatch | undefined;
}

/** Options for {@link PolicySource}. */
export interface PolicySourceOptions<Stored, Policy> {
  readonly kind: 'validating' | 'mutating';
  readonly environment: CelEnvironment;
  readonly policyOf: (stored: Stored) => Policy;
}

/** The stored policies of one kind, with their bindings and parameters. */
export class PolicySource<Stored, Policy extends { readonly name: string }> implements Disposable {
  readonly #options: PolicySourceOptions<Stored, Policy>;
  readonly #policies = new Map<string, Policy>();
  readonly #bindings = new Map<string, PolicyBinding>();
  readonly #subscriptions: Disposable[] = [];
  #storage: Storage | undefined;
  #bound: readonly (readonly [Policy, readonly PolicyBinding[]])[] | undefined;
  #params: PolicyParams | undefined;

  constructor(options: PolicySourceOptions<Stored, Policy>) {
    this.#options = options;
  }

  /**
   * Reads the stored policies and bindings, then applies each change as soon as it becomes visible, in the same turn of
   * the event loop.
   */
  async start(storage: Storage): Promise<void> {
    this.#storage = storage;
    const { kind, policyOf } = this.#options;
    const follow = <T>(resource: string, set: (key: string, object: T) => void, remove: (key: string) => void) =>
      followStorage(storage, {
        prefix: storagePrefix({ group, resource }),
        apply: ({ key, current }) => {
          this.#bound = undefined;
          this.#forgetParams();
          // Validated on write.
          if (current) set(key, JSON.parse(decoder.decode(current.bytes)) as T);
          else remove(key);
        },
      });
    this.#subscriptions.push(
      await follow<Stored>(
        `${kind}admissionpolicies`,
        (key, object) => this.#policies.set(key, policyOf(object)),
        (key) => this.#policies.delete(key),
      ),
      await follow<BindingObject>(
        `${kind}admissionpolicybindings`,
        (key, { metadata, spec }) => this.#bindings.set(key, this.#binding(metadata.name, spec)),
        (key) => this.#bindings.delete(key),
      ),
    );
  }

  /** The policies that have bindings, each with its bindings. Policies and bindings are sorted by name. */
  get bound(): readonly (readonly [Policy, readonly PolicyBinding[]])[] {
    this.#bound ??= byName([...this.#policies.values()]).flatMap((policy) => {
      const bindings = byName([...this.#bindings.values()].filter(({ spec }) => spec.policyName === policy.name));
      return bindings.length === 0 ? [] : [[policy, bindings] as const];
    });
    return this.#bound;
  }

  /** Returns the parameters, which are watched until a policy or a binding changes. */
  params(services: Pick<PolicyParamsOptions, 'catalog' | 'clock'>): PolicyParams {
    if (!this.#storage) throw new Error('the admission policies have not been started');
    this.#params ??= new PolicyParams({ ...services, storage: this.#storage });
    return this.#params;
  }

  [Symbol.dispose](): void {
    this.#forgetParams();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #forgetParams(): void {
    this.#params?.[Symbol.dispose]();
    this.#params = undefined;
  }

  #binding(name: string, spec: BindingObject['spec']): PolicyBinding {
    const { matchResources } = spec;
    const match =
      matchResources && new ResourceMatch(matchResources, { id: name, environment: this.#options.environment });
    return { name, spec, match };
  }
}

function byName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}
