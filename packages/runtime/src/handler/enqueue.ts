import type { GroupVersionKind, KubernetesObject, OwnerReference, Scope } from '@kubewright/apimachinery';
import type { EventHandler, HandlerContext, ReconcileRequest } from './event-handler.ts';
import { eventPriority } from './event-priority.ts';
import type { ObjectView } from './object-view.ts';

/** Enqueues the object of the event. */
export function enqueueForObject<T>(): EventHandler<T> {
  return (event, context) => context.enqueue(event.object.key, eventPriority(event));
}

/** Options for {@link enqueueForOwner}. */
export interface EnqueueForOwnerOptions {
  /** True to follow all owner references, not only controller references. @defaultValue false */
  readonly matchEveryOwner?: boolean;
}

/**
 * Enqueues the owner of the event's object. Group and kind must match; the version may differ. Updates enqueue the old
 * and the new owners. A reference to an earlier owner of the same name (with another UID) is followed only on delete
 * events, because the current owner may wait for the name to become free.
 *
 * @example
 * ```ts
 * const source = watch(Pod, enqueueForOwner(Database));
 * ```
 */
export function enqueueForOwner<T extends KubernetesObject>(
  ownerKind: GroupVersionKind & { readonly scope: Scope },
  options: EnqueueForOwnerOptions = {},
): EventHandler<T> {
  const everyOwner = options.matchEveryOwner ?? false;
  const isOwner = (reference: OwnerReference): boolean =>
    reference.kind === ownerKind.kind &&
    groupOf(reference.apiVersion) === ownerKind.group &&
    (everyOwner || reference.controller === true);
  return (event, context) => {
    const requested = new Set<string>();
    const enqueueOwners = (view: ObjectView<T>): void => {
      for (const reference of view.ownerReferences) {
        // With one owner kind and one namespace, the name identifies the request.
        if (!isOwner(reference) || requested.has(reference.name)) continue;
        const request = ownerKind.scope === 'Cluster' ? {} : { namespace: view.namespace };
        const owner = { ...request, name: reference.name };
        if (event.type !== 'delete' && !isPresent(owner, reference, context)) continue;
        requested.add(reference.name);
        context.enqueue(owner, eventPriority(event));
      }
    };
    if (event.type === 'update') enqueueOwners(event.old);
    enqueueOwners(event.object);
  };
}

/** Returns false if the owner's name now belongs to another object. */
function isPresent(request: ReconcileRequest, reference: OwnerReference, context: HandlerContext): boolean {
  const uid = context.primaryUid(request);
  return uid === undefined || uid === reference.uid;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Maps an object to the keys it affects. Runs synchronously, so it can read caches but not the API. */
export type MapFunc<T> = (view: ObjectView<T>) => readonly ReconcileRequest[];

/** Enqueues the keys that `map` returns; for updates, the keys of the old and the new object, without duplicates. */
export function enqueueMapped<T>(map: MapFunc<T>): EventHandler<T> {
  return (event, context) => {
    const options = eventPriority(event);
    const requested = new Set<string>();
    const views = event.type === 'update' ? [event.old, event.object] : [event.object];
    for (const request of views.flatMap((view) => map(view))) {
      const id = `${request.namespace ?? ''}/${request.name}`;
      if (requested.has(id)) continue;
      requested.add(id);
      context.enqueue(request, options);
    }
  };
}
