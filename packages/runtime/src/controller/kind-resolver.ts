import { type Kind, type KubernetesObject, parseApiVersion } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import { UnknownKindError } from './unknown-kind-error.ts';

/** Finds the kind of an object: among the declared ones, else by the server's discovery. */
export class KindResolver {
  readonly #cache: InformerCache;
  readonly #client: KubernetesClient;
  readonly #found = new Map<string, Kind<KubernetesObject>>();

  constructor(options: { readonly cache: InformerCache; readonly client: KubernetesClient }) {
    this.#cache = options.cache;
    this.#client = options.client;
  }

  /** Finds a kind that controllers or the manager declared. */
  declared(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    return this.#cache.kindOf(object);
  }

  /** @throws UnknownKindError (KW3004); worth a retry only once the kind is installed. */
  async resolve(object: KubernetesObject, signal: AbortSignal): Promise<Kind<KubernetesObject>> {
    const id = `${object.apiVersion} ${object.kind}`;
    const known = this.declared(object) ?? this.#found.get(id);
    if (known) return known;
    const wanted = { ...parseApiVersion(object.apiVersion), kind: object.kind };
    const found = (await this.#client.discovery.mapper({ signal })).forKind(wanted);
    if (!found) {
      // The kind may have been installed since; the next try asks the server again.
      this.#client.discovery.invalidate();
      throw new UnknownKindError(wanted, { doing: 'write' });
    }
    const { group, version, kind, plural, scope } = found;
    const resolved: Kind<KubernetesObject> = { group, version, kind, plural, scope };
    this.#found.set(id, resolved);
    return resolved;
  }
}
