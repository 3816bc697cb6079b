import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import { type ControllerDefinition, controller, type ReconcileContext } from '@kubewright/runtime';
import type { DecorateHook } from './sync-hook.ts';

/**
 * Returns a controller that decorates existing objects as a hook decides, and removes the decoration when an object is no longer
 * selected.
 */
export function decorator<T extends KubernetesObject>(options: {
  readonly name: string;
  readonly for: Kind<T>;
  readonly selects: (object: Stored<T>) => boolean;
  readonly attachments: readonly Kind<KubernetesObject>[];
  readonly sync: DecorateHook<T>;
  /** Called instead of `sync` once a decorated object is being deleted or no longer selected, until it returns `finalized`. */
  readonly finalize?: DecorateHook<T>;
}): ControllerDefinition {
  const { name, selects, sync, finalize, attachments: kinds } = options;
  type Call = { readonly object: Stored<T>; readonly finalizing: boolean };
  const call = async (hook: DecorateHook<T>, request: Call, { observed, signal }: ReconcileContext<T>) => {
    const attachments = Object.fromEntries(
      kinds.map((kind) => [
        `${kind.kind}.${kind.group === '' ? kind.version : `${kind.group}/${kind.version}`}`,
        Object.fromEntries(observed.list(kind).map((each) => [each.metadata.name, each])),
      ]),
    );
    return hook({ ...request, attachments }, { signal });
  };
  /**
   * The kinds are known only when the program runs, so their permissions are listed here.
   *
   * @rbac groups=apps resources=statefulsets verbs=get;list;watch;patch
   * @rbac groups=apps resources=statefulsets/finalizers verbs=update
   * @rbac groups="" resources=services verbs=get;list;watch;create;patch;delete
   */
  return controller<T>({
    name,
    for: options.for,
    owns: kinds,
    needsFinalizers: selects,
    finalizers: finalize
      ? {
          [`hooks.example.com/${name}`]: async (object, ctx) => {
            const { attachments, finalized = false } = await call(finalize, { object, finalizing: true }, ctx);
            return { children: attachments, finalized };
          },
        }
      : {},
    async reconcile(object, ctx) {
      const { labels, annotations, attachments } = selects(object)
        ? await call(sync, { object, finalizing: false }, ctx)
        : { attachments: [] };
      const { apiVersion, kind, metadata } = object;
      const added = { ...(labels && { labels }), ...(annotations && { annotations }) };
      const isDecorated = metadata.managedFields?.some((each) => each.manager === name && !each.subresource);
      if (labels || annotations || isDecorated) {
        const decoration = {
          apiVersion,
          kind,
          metadata: { name: metadata.name, namespace: metadata.namespace, ...added },
        };
        // Server-side apply removes what this field manager set before and does not change anything else.
        await ctx.apply(decoration as KubernetesObject, { ownership: 'none' });
      }
      return { children: attachments };
    },
  });
}
