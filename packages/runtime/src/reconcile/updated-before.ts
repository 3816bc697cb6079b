import {
  isConflict,
  isNotFound,
  type Kind,
  type KubernetesObject,
  objectKey,
  upgradeManagedFieldsPatch,
} from '@kubewright/apimachinery';
import { FieldSet } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

/** Maximum number of attempts before a conflict is thrown. */
const maxAttempts = 3;

/**
 * Reports whether the manager wrote the object with updates and never applied it, like an earlier version of the
 * operator or an operator in Go. False if an entry owns finalizers, because finalizers are patched on purpose.
 */
export function updatedBefore(live: KubernetesObject, fieldManager: string): boolean {
  const own = (live.metadata.managedFields ?? []).filter((each) => each.manager === fieldManager && !each.subresource);
  if (own.length === 0 || own.some(({ operation }) => operation !== 'Update')) return false;
  return !own.some(({ fieldsV1 }) => FieldSet.parse(fieldsV1 ?? {}).hasWithin(['f:metadata', 'f:finalizers']));
}

/** Migrates the manager's fields from updates to applies, so that the next apply removes undeclared fields. */
export async function migrateToApply(
  client: KubernetesClient,
  live: KubernetesObject,
  options: { readonly kind: Kind<KubernetesObject>; readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<void> {
  const { kind, fieldManager, signal } = options;
  const resource = client.resource(kind);
  const key = objectKey(live);
  for (let attempt = 1; ; attempt++) {
    try {
      // Read live, because the cache keeps only the managedFields entries of this operator's managers.
      const current = await resource.get(key, { signal });
      const body = upgradeManagedFieldsPatch(current, { from: [fieldManager], to: fieldManager });
      if (body) await resource.patch(key, { type: 'json', body }, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === maxAttempts) throw error;
    }
  }
}
