import type { GroupVersionKind, KubernetesObject, OwnerReference, Scope } from '@kubewright/apimachinery';
import type { EventHandler, HandlerContext, ReconcileRequest } from './event-handler.ts';
import { eventPriority } from './event-priority.ts';
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
  return (event, context) => {
    const asked = new Set<string>();
    const enqueueOwners = (view: ObjectView<T>): void => {
      for (const reference of view.ownerReferences) {
        // One owner kind, one namespace: the name tells requests apart.
        if (!isOwner(reference) || asked.has(reference.name)) continue;
        const request = owner.scope === 'Cluster' ? {} : { namespace: view.namespace };
        if (!isPresent({ ...request, name: reference.name }, reference, context)) continue;
        asked.add(reference.name);
        context.enqueue({ ...request, name: reference.name }, eventPriority(event));
      }
    };
    if (event.type === 'update') enqueueOwners(event.old);
    enqueueOwners(event.object);
  };
}

/** False if another object has the owner's name now. */
function isPresent(request: ReconcileRequest, reference: OwnerReference, context: HandlerContext): boolean {
  const uid = context.primaryUid(request);
  return uid === undefined || uid === reference.uid;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
