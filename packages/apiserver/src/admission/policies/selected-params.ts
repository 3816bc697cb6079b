import { type Clock, type KubernetesObject, LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import { Pacer } from '../../registry/pacer.ts';
import { followStorage, type Storage, type StoredObject } from '../../storage/index.ts';

const decoder = new TextDecoder();

/** Options for {@link SelectedParams}. */
export interface SelectedParamsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The prefix of the keys of all objects in the parameters' scope. */
  readonly prefix: string;
  readonly selector: LabelSelectorObject;
  /** True if a conversion may change labels, so every object is converted before it is matched. */
  readonly converts: boolean;
  /** Returns an object in the version of the policy's `paramKind`. */
  readonly served: (stored: StoredObject) => Promise<KubernetesObject>;
}

/**
 * The parameters that one selector matches. Watches the storage, so each object is matched once instead of on every request; yields
 * while matching many objects.
 */
export class SelectedParams implements Disposable {
  readonly #options: SelectedParamsOptions;
  readonly #selector: LabelSelector;
  /** Changes that have not been matched yet. */
  readonly #pending = new Map<string, StoredObject>();
  readonly #matched = new Map<string, KubernetesObject>();
  readonly #following: Promise<Disposable>;
  #matching: Promise<void> | undefined;

  constructor(options: SelectedParamsOptions) {
    this.#options = options;
    this.#selector = LabelSelector.ofObject(options.selector);
    this.#following = followStorage(options.storage, {
      prefix: options.prefix,
      clock: options.clock,
      apply: ({ key, current }) => {
        this.#matched.delete(key);
        if (current) this.#pending.set(key, current);
        else this.#pending.delete(key);
      },
    });
    this.#following.catch(() => undefined); // reported by all()
  }

  /** Returns the parameters, sorted by name. @throws any error of the storage or a conversion */
  async all(): Promise<readonly KubernetesObject[]> {
    await this.#following;
    while (this.#pending.size > 0) {
      this.#matching ??= this.#match().finally(() => {
        this.#matching = undefined;
      });
      await this.#matching;
    }
    return [...this.#matched].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  [Symbol.dispose](): void {
    this.#following.then(
      (follower) => follower[Symbol.dispose](),
      () => undefined,
    );
  }

  async #match(): Promise<void> {
    const pacer = new Pacer(this.#options.clock);
    for (const [key, stored] of this.#pending) {
      const object = await this.#matchingForm(stored);
      // The object may have changed while it was converted.
      if (this.#pending.get(key) === stored) {
        this.#pending.delete(key);
        if (object) this.#matched.set(key, object);
      }
      if (pacer.isDue) await pacer.rest();
    }
  }

  async #matchingForm(stored: StoredObject): Promise<KubernetesObject | undefined> {
    const { served, converts } = this.#options;
    // Most objects do not match, so their decoded form is not cached.
    const labeled = converts
      ? await served(stored)
      : (JSON.parse(decoder.decode(stored.bytes)) as Pick<KubernetesObject, 'metadata'>);
    return this.#selector.matches(labeled.metadata.labels ?? {}) ? served(stored) : undefined;
  }
}
