import type { CelEnvironment } from '@kubewright/schema';
import { storagePrefix } from '../../registry/storage-prefix.ts';
import { followStorage, type Storage } from '../../storage/index.ts';
import type { BindingObject, PolicyObject } from './policy-types.ts';
import { ResourceMatch } from './resource-match.ts';
import { ValidatingPolicy } from './validating-policy.ts';

const group = 'admissionregistration.k8s.io';
const decoder = new TextDecoder();

/** A binding, ready to be matched. */
export interface PolicyBinding {
  readonly name: string;
  readonly spec: BindingObject['spec'];
  /** Absent if the binding restricts nothing. */
  readonly match: ResourceMatch | undefined;
}

/** The stored policies with their bindings. */
export class PolicySource implements Disposable {
  readonly #environment: CelEnvironment;
  readonly #policies = new Map<string, ValidatingPolicy>();
  readonly #bindings = new Map<string, PolicyBinding>();
  readonly #subscriptions: Disposable[] = [];
  #bound: readonly (readonly [ValidatingPolicy, readonly PolicyBinding[]])[] | undefined;

  constructor(environment: CelEnvironment) {
    this.#environment = environment;
  }

  /** Reads what is stored, then follows changes in the turn in which they become visible. */
  async start(storage: Storage): Promise<void> {
    const follow = <T>(resource: string, set: (key: string, object: T) => void, remove: (key: string) => void) =>
      followStorage(storage, {
        prefix: storagePrefix({ group, resource }),
        apply: ({ key, current }) => {
          this.#bound = undefined;
          // Validated on write.
          if (current) set(key, JSON.parse(decoder.decode(current.bytes)) as T);
          else remove(key);
        },
      });
    this.#subscriptions.push(
      await follow<PolicyObject>(
        'validatingadmissionpolicies',
        (key, object) => this.#policies.set(key, new ValidatingPolicy(object, this.#environment)),
        (key) => this.#policies.delete(key),
      ),
      await follow<BindingObject>(
        'validatingadmissionpolicybindings',
        (key, { metadata, spec }) => this.#bindings.set(key, this.#binding(metadata.name, spec)),
        (key) => this.#bindings.delete(key),
      ),
    );
  }

  /** The policies that have bindings, both by name. */
  get bound(): readonly (readonly [ValidatingPolicy, readonly PolicyBinding[]])[] {
    this.#bound ??= byName([...this.#policies.values()]).flatMap((policy) => {
      const bindings = byName([...this.#bindings.values()].filter(({ spec }) => spec.policyName === policy.name));
      return bindings.length === 0 ? [] : [[policy, bindings] as const];
    });
    return this.#bound;
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #binding(name: string, spec: BindingObject['spec']): PolicyBinding {
    const { matchResources } = spec;
    const match = matchResources && new ResourceMatch(matchResources, { id: name, environment: this.#environment });
    return { name, spec, match };
  }
}

function byName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}
