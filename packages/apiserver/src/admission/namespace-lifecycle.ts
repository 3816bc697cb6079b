import { forbidden, notFound, StatusError } from '@kubewright/apimachinery';
import type { Storage, StoredObject } from '../storage/storage.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);
const namespaces = { group: '', resource: 'namespaces' };
const decoder = new TextDecoder();

/** The phase of an existing namespace. */
export type NamespacePhase = 'Active' | 'Terminating';

/**
 * Protects namespaces: rejects writes to a namespace that does not exist, creations in a terminating namespace, and the
 * deletion of `default`, `kube-system` and `kube-public`. Mirrors `NamespaceLifecycle` (1.36).
 *
 * @param options.storage - storage of the namespaces; read once per write, bypassing any cache
 * @param options.prefix - the {@link ResourceDefinition.storagePrefix} of namespaces. @defaultValue `/registry/namespaces/`
 *
 * @example
 * ```ts
 * const storage = new MemoryStorage({ clock });
 * const admissionPlugins: readonly AdmissionPlugin[] = [namespaceLifecycle({ storage })];
 * ```
 */
export function namespaceLifecycle(options: { readonly storage: Storage; readonly prefix?: string }): AdmissionPlugin {
  const { storage, prefix = '/registry/namespaces/' } = options;
  const terminating = new WeakMap<StoredObject, boolean>();
  const isTerminating = (stored: StoredObject): boolean => {
    let isLeaving = terminating.get(stored);
    if (isLeaving === undefined) {
      const { status } = JSON.parse(decoder.decode(stored.bytes)) as { readonly status?: { readonly phase?: string } };
      isLeaving = status?.phase === 'Terminating';
      terminating.set(stored, isLeaving);
    }
    return isLeaving;
  };
  return checkNamespaces(async (namespace) => {
    const stored = await storage.get(prefix + namespace);
    if (stored === undefined) return undefined;
    return isTerminating(stored) ? 'Terminating' : 'Active';
  });
}

/**
 * Same as {@link namespaceLifecycle}, for namespaces from any source. `phaseOf` returns undefined for a namespace that does not
 * exist.
 */
export function checkNamespaces(phaseOf: (namespace: string) => Promise<NamespacePhase | undefined>): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async mutate(attributes) {
      const { operation, definition, namespace, name } = attributes;
      const isNamespace = definition.resource === 'namespaces' && definition.group === '';
      if (operation === 'DELETE') {
        if (isNamespace && immortal.has(name)) throw forbidden(namespaces, name, 'this namespace may not be deleted');
        return;
      }
      if (namespace === '' || isNamespace || isAccessReview(attributes)) return;
      const phase = await phaseOf(namespace);
      if (phase === undefined) throw notFound(namespaces, namespace);
      if (operation === 'CREATE' && phase === 'Terminating') throw terminated(attributes);
    },
  };
}

/** Reports whether a request is an access review. Access reviews are allowed in namespaces that do not exist. */
function isAccessReview({ definition }: AdmissionAttributes): boolean {
  return definition.group === 'authorization.k8s.io' && definition.resource === 'localsubjectaccessreviews';
}

function terminated({ definition, namespace, name }: AdmissionAttributes): StatusError {
  const { status } = forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
