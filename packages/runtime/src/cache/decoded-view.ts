import type { KubernetesObject, ObjectKey, OwnerReference, Stored } from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';
import type { ObjectView } from '../handler/object-view.ts';

/** A decoded object with the view interface that handlers, predicates and index functions use. */
export class DecodedView<T> implements ObjectView<T> {
  readonly object: Stored<T>;
  readonly #metadata: KubernetesObject['metadata'];

  constructor(object: T & KubernetesObject) {
    // A view's object always comes from the API server, so the cast to Stored is safe.
    this.object = deepFreeze(object) as T as Stored<T>;
    this.#metadata = object.metadata;
  }

  get key(): ObjectKey {
    return this.namespace === '' ? { name: this.name } : { namespace: this.namespace, name: this.name };
  }

  get namespace(): string {
    return this.#metadata.namespace ?? '';
  }

  get name(): string {
    return this.#metadata.name ?? '';
  }

  get uid(): string {
    return this.#metadata.uid ?? '';
  }

  get resourceVersion(): string {
    return this.#metadata.resourceVersion ?? '';
  }

  get generation(): number {
    return this.#metadata.generation ?? 0;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#metadata.labels ?? {};
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#metadata.annotations ?? {};
  }

  get ownerReferences(): readonly OwnerReference[] {
    return this.#metadata.ownerReferences ?? [];
  }

  get deletionTimestamp(): string | undefined {
    return this.#metadata.deletionTimestamp ?? undefined;
  }
}
