import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import type { DecorateHook, DecorateResponse, Decoration } from './sync-hook.ts';

/**
 * Returns a controller that applies a hook's decorations to existing objects, and removes the decorations when an
 * object is no longer selected.
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
   * The RBAC generator cannot see the kinds, which are known only at run time, so their permissions are listed here.
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
            const response = await call(finalize, { object, finalizing: true }, ctx);
            return { ...stateOf<T>(response), finalized: response.finalized ?? false };
          },
        }
      : {},
    async reconcile(object, ctx) {
      const response = selects(object) ? await call(sync, { object, finalizing: false }, ctx) : { attachments: [] };
      const { labels, annotations }: DecorateResponse = response;
      const { apiVersion, kind, metadata } = object;
      const added = {
        ...(labels && { labels: setBy(labels) }),
        ...(annotations && { annotations: setBy(annotations) }),
      };
      const isDecorated = metadata.managedFields?.some((each) => each.manager === name && !each.subresource);
      if (labels || annotations || isDecorated) {
        const decoration = {
          apiVersion,
          kind,
          metadata: { name: metadata.name, namespace: metadata.namespace, ...added },
        };
        // Server-side apply removes the fields that this field manager set earlier and now omits. Other fields stay unchanged.
        await ctx.apply(decoration as KubernetesObject, { ownership: 'none' });
      }
      return stateOf<T>(response);
    },
  });
}

/** Returns the labels or annotations to set. */
function setBy(decoration: Decoration): Decoration {
  return Object.fromEntries(Object.entries(decoration).filter(([, value]) => value !== null));
}

/** Returns the attachments in a response as a desired state. */
function stateOf<T extends KubernetesObject>({ attachments, resyncAfterSeconds = 0 }: DecorateResponse) {
  const resync = resyncAfterSeconds > 0 && { requeueAfterMs: resyncAfterSeconds * 1000 };
  return { ...(attachments && { children: attachments }), ...resync } as DesiredState<T>;
}
