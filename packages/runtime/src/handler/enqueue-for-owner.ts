import type { GroupVersionKind, KubernetesObject, OwnerReference, Scope } from '@kubewright/apimachinery';
import { initialListPriority } from './enqueue-for-object.ts';
import type { EventHandler, HandlerContext, ReconcileRequest } from './event-handler.ts';
import type { ObjectView } from './object-view.ts';

/** Options of {@link enqueueForOwner}. */
export interface EnqueueForOwnerOptions {
  /** Also follow owner references that are not the controller's. @defaultValue false */
  readonly matchEveryOwner?: boolean;
}

/**
 * Asks for a reconcile of the event object's owner of a kind. Group and kind must be equal, the version need not. A
 * reference to an earlier object of the same name (another uid) is not followed. Updates follow the old and the new owners.
 */
export function enqueueForOwner<T extends KubernetesObject>(
  owner: GroupVersionKind & { readonly scope: Scope },
  options: EnqueueForOwnerOptions = {},
): EventHandler<T> {
  const everyOwner = options.matchEveryOwner ?? false;
  const isOwner = (reference: OwnerReference): boolean =>
    reference.kind === owner.kind &&
    groupOf(reference.apiVersion) === owner.group &&
    (everyOwner || reference.controller === true);
  const enqueueOwners = (view: ObjectView<T>, context: HandlerContext, priority: number | undefined): void => {
    for (const reference of view.ownerReferences) {
      if (!isOwner(reference)) continue;
      const request: ReconcileRequest =
        owner.scope === 'Cluster' ? { name: reference.name } : { namespace: view.namespace, name: reference.name };
      const uid = context.primaryUid(request);
      if (uid !== undefined && uid !== reference.uid) continue;
      context.enqueue(request, priority === undefined ? {} : { priority });
    }
  };
  return (event, context) => {
    const initial = event.type === 'create' && event.isInInitialList;
    if (event.type === 'update') enqueueOwners(event.old, context, undefined);
    enqueueOwners(event.object, context, initial ? initialListPriority : undefined);
  };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
