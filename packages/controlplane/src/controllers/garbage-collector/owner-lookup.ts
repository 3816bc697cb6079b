import {
  isDeleting,
  isNotFound,
  type Kind,
  type KindDescriptor,
  type KubernetesObject,
  KubewrightError,
  type OwnerReference,
  parseApiVersion,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { foregroundFinalizer } from './owner-graph.ts';

/** Thrown if an owner's kind is not served yet, or no longer served. */
class UnknownOwnerKindError extends KubewrightError {
  override readonly name = 'UnknownOwnerKindError';
  readonly code = 'KW5601';

  constructor(reference: OwnerReference) {
    super({
      what: `unable to get REST mapping for ${reference.apiVersion}/${reference.kind}`,
      remedy: `install its CRD, or remove the ownerReference to ${reference.kind} "${reference.name}"`,
    });
  }
}

/**
 * Thrown if a cluster-scoped object names an owner of a namespaced kind. The owner's namespace is unknown, so the object is
 * skipped.
 */
export class NamespacedOwnerError extends KubewrightError {
  override readonly name = 'NamespacedOwnerError';
  readonly code = 'KW5602';

  constructor() {
    super({ what: 'cluster-scoped objects cannot refer to namespaced owners', remedy: 'remove the ownerReference' });
  }
}

/** An object's owners, grouped by their live state. */
export interface Owners {
  /** Owners that exist and are not waiting for their dependents to be deleted. */
  readonly solid: readonly OwnerReference[];
  /** Owners that do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** Owners that are being deleted and wait for their dependents to be deleted first. */
  readonly waiting: readonly OwnerReference[];
}

/** Dependencies of a lookup. */
export interface LookupContext {
  readonly client: KubernetesClient;
  readonly signal: AbortSignal;
}

const maxAbsent = 500;

/** Looks up owners live. Remembers owners that do not exist, because a uid is never reused. */
export class OwnerLookup {
  readonly #absent = new Set<string>();

  /** Records an object that is known not to exist. */
  noteAbsent(reference: OwnerReference, namespace: string): void {
    this.#absent.add(absentKey(reference, namespace));
    if (this.#absent.size > maxAbsent) this.#absent.delete(this.#absent.values().next().value ?? '');
  }

  /**
   * Classifies the owners of an object in `namespace`.
   *
   * @throws {@link UnknownOwnerKindError} (retry), {@link NamespacedOwnerError} (do not retry), StatusError.
   */
  async classify(
    references: readonly OwnerReference[],
    options: LookupContext & { readonly namespace: string },
  ): Promise<Owners> {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of references) {
      const owner = await this.#find(reference, options);
      if (!owner) dangling.push(reference);
      else if (isDeleting(owner) && owner.metadata.finalizers?.includes(foregroundFinalizer)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  async #find(
    reference: OwnerReference,
    options: LookupContext & { readonly namespace: string },
  ): Promise<KubernetesObject | undefined> {
    const { client, signal, namespace: own } = options;
    if (this.#absent.has(absentKey(reference, own)) || this.#absent.has(absentKey(reference, ''))) return undefined;
    const kind = await findKind(reference, options);
    if (own === '' && kind.scope === 'Namespaced') throw new NamespacedOwnerError();
    const namespace = kind.scope === 'Namespaced' ? own : '';
    const key = namespace === '' ? { name: reference.name } : { namespace, name: reference.name };
    try {
      const owner = await client.metadata(kind as Kind<unknown>).get(key, { signal });
      if (owner.metadata.uid === reference.uid) return owner;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.noteAbsent(reference, namespace);
    return undefined;
  }
}

async function findKind(reference: OwnerReference, { client, signal }: LookupContext): Promise<KindDescriptor> {
  const wanted = { ...parseApiVersion(reference.apiVersion), kind: reference.kind };
  const known = (await client.discovery.mapper({ signal })).forKind(wanted);
  if (known) return known;
  client.discovery.invalidate();
  const found = (await client.discovery.mapper({ signal })).forKind(wanted);
  if (!found) throw new UnknownOwnerKindError(reference);
  return found;
}

function absentKey({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  return [apiVersion, kind, namespace, name, uid].join('\n');
}
