import { isDeleting, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import type { SyncHook, SyncRequest, SyncResponse } from './sync-hook.ts';

/**
 * Returns a controller that carries out a hook's decisions: it applies the children, deletes those that are no longer wanted, and
 * writes the status.
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
   * The kinds are known only when the program runs, so their permissions are listed here.
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
          const wanted = await finalize(request(parent, ctx), ctx);
          await applyChildren(wanted, kinds, ctx);
          return wanted.finalized ? undefined : { requeueAfterMs: (wanted.resyncAfterSeconds ?? 60) * 1000 };
        },
      },
    }),
    async reconcile(parent, ctx) {
      const wanted = await sync(request(parent, ctx), ctx);
      const { resyncAfterSeconds: seconds = 0 } = wanted;
      // The hook knows the kind of its parent's status; the compiler does not.
      return {
        children: wanted.children,
        status: wanted.status ?? {},
        ...(seconds > 0 && { requeueAfterMs: seconds * 1000 }),
      } as DesiredState<T>;
    },
  });
}

/**
 * Applies the children of a parent that is being deleted, and deletes the others.
 *
 * @rbac groups="" resources=pods verbs=create;patch;delete
 */
async function applyChildren<T extends KubernetesObject>(
  { children }: SyncResponse,
  kinds: readonly Kind<KubernetesObject>[],
  ctx: ReconcileContext<T>,
): Promise<void> {
  const kept = new Set<string>();
  for (const child of children) {
    const { kind, metadata } = await ctx.apply(child as KubernetesObject);
    kept.add(`${kind}/${metadata.name}`);
  }
  for (const child of kinds.flatMap((kind) => ctx.observed.list(kind)))
    if (!kept.has(`${child.kind}/${child.metadata.name}`)) await ctx.delete(child);
}
