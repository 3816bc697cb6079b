import { type Kind, type KubernetesObject, parseApiVersion } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import { UnknownKindError } from './unknown-kind-error.ts';

/** Resolves the kind of an object: from the declared kinds, otherwise through discovery. */
export class KindResolver {
  readonly #cache: InformerCache;
  readonly #client: KubernetesClient;
  readonly #found = new Map<string, Kind<KubernetesObject>>();

  constructor(options: { readonly cache: InformerCache; readonly client: KubernetesClient }) {
    this.#cache = options.cache;
    this.#client = options.client;
  }

  /** Finds a kind declared by a controller or the manager. */
  declared(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    return this.#cache.kindOf(object);
  }

  /**
   * Resolves the kind of an object.
   *
   * @throws UnknownKindError (KW3004) when the server does not serve the kind; retry only once the kind is installed.
   */
  async resolve(object: KubernetesObject, signal: AbortSignal): Promise<Kind<KubernetesObject>> {
    const id = `${object.apiVersion} ${object.kind}`;
    const known = this.declared(object) ?? this.#found.get(id);
    if (known) return known;
    const wanted = { ...parseApiVersion(object.apiVersion), kind: object.kind };
    const found = (await this.#client.discovery.mapper({ signal })).forKind(wanted);
    if (!found) {
      // Discard the discovery result, because the kind may be installed before the next attempt.
      this.#client.discovery.invalidate();
      throw new UnknownKindError(wanted, { doing: 'write' });
    }
    const { group, version, kind, plural, scope } = found;
    const resolved: Kind<KubernetesObject> = { group, version, kind, plural, scope };
    this.#found.set(id, resolved);
    return resolved;
  }
}
