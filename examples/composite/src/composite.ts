import { isDeleting, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import type { SyncHook, SyncRequest, SyncResponse } from './sync-hook.ts';

/**
 * Returns a controller that carries out a hook's decisions: it applies the children, deletes children that are no
 * longer desired, and writes the status.
 */
export function composite<T extends KubernetesObject>(options: {
  readonly parent: Kind<T>;
  readonly children: readonly Kind<KubernetesObject>[];
  readonly sync: SyncHook<T>;
  /** Called instead of `sync` while a parent is being deleted, until it returns `finalized`. */
  readonly finalize?: SyncHook<T>;
}): ControllerDefinition {
  const { parent: kind, children: kinds, sync, finalize } = options;
  type Context = ReconcileContext<T>;
  const request = (parent: SyncRequest<T>['parent'], { observed }: Context): SyncRequest<T> => {
    const children = kinds.map((each) => [
      `${each.kind}.${each.group === '' ? each.version : `${each.group}/${each.version}`}`,
      Object.fromEntries(observed.list(each).map((child) => [child.metadata.name, child])),
    ]);
    return { parent, children: Object.fromEntries(children), finalizing: isDeleting(parent) };
  };
  /**
   * The RBAC generator cannot see the kinds, which are known only at run time, so their permissions are listed here.
   *
   * @rbac groups=hooks.example.com resources=helloworlds verbs=get;list;watch;patch
   * @rbac groups=hooks.example.com resources=helloworlds/status verbs=patch
   * @rbac groups=hooks.example.com resources=helloworlds/finalizers verbs=update
   * @rbac groups="" resources=pods verbs=get;list;watch;create;patch;delete
   */
  return controller<T>({
    for: kind,
    owns: kinds,
    ...(finalize && {
      finalizers: {
        async [`hooks.example.com/${kind.kind.toLowerCase()}`](parent, ctx) {
          const { finalized = false, resyncAfterSeconds = 60, ...response } = await finalize(request(parent, ctx), ctx);
          // A hook may wait for something outside the cluster, which causes no events.
          return { ...stateOf<T>(finalized ? response : { ...response, resyncAfterSeconds }), finalized };
        },
      },
    }),
    async reconcile(parent, ctx) {
      const response = await sync(request(parent, ctx), ctx);
      return stateOf<T>({ ...response, status: response.status ?? {} });
    },
  });
}

/** Returns a hook's response as a desired state. The hook knows the kind of its parent's status; the compiler does not. */
function stateOf<T extends KubernetesObject>({
  children,
  status,
  resyncAfterSeconds = 0,
}: SyncResponse): DesiredState<T> {
  const resync = resyncAfterSeconds > 0 && { requeueAfterMs: resyncAfterSeconds * 1000 };
  return { children, ...(status && { status }), ...resync } as DesiredState<T>;
}
