import { isDeleting, type Kind, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import {
  addFinalizers,
  type ControllerDefinition,
  controller,
  hasFinalizer,
  type ReconcileContext,
  removeFinalizer,
} from '@kubewright/runtime';
import type { DecorateHook, DecorateResponse } from './sync-hook.ts';

/**
 * Returns a controller that makes the additions to existing objects that a hook decides on, and removes them when an object is no
 * longer selected.
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
  const finalizer = `hooks.example.com/${name}`;
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
    async reconcile(object, ctx) {
      const attachments = Object.fromEntries(
        kinds.map((kind) => [
          `${kind.kind}.${kind.group === '' ? kind.version : `${kind.group}/${kind.version}`}`,
          Object.fromEntries(ctx.observed.list(kind).map((each) => [each.metadata.name, each])),
        ]),
      );
      const isSelected = selects(object) && !isDeleting(object);
      const known = object as KubernetesObject as Stored<KubernetesObject>;
      const isMarked = hasFinalizer(object, finalizer);
      const hook = isSelected ? sync : isMarked ? finalize : undefined;
      const patching = { client: ctx.client, kind: options.for, signal: ctx.signal };
      // Added before the first attachment, and only to selected objects.
      if (isSelected && finalize && !isMarked) await addFinalizers(known, { ...patching, names: [finalizer] });
      const nothing: DecorateResponse = { attachments: [], finalized: true };
      const request = { object, attachments, finalizing: !isSelected };
      const wanted = hook ? await hook(request, { signal: ctx.signal }) : nothing;
      if (isMarked && isDeleting(object)) await attach(wanted, ctx, { kinds, manager: name });
      if (isMarked && !isSelected && wanted.finalized) await removeFinalizer(known, { ...patching, name: finalizer });
      if (isDeleting(object)) return undefined;
      const { labels, annotations } = wanted;
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
      return { children: wanted.attachments };
    },
  });
}

/** Applies and deletes attachments of an object that is being deleted, for which returned children mean nothing. */
async function attach<T extends KubernetesObject>(
  { attachments }: DecorateResponse,
  ctx: ReconcileContext<T>,
  { kinds, manager }: { readonly kinds: readonly Kind<KubernetesObject>[]; readonly manager: string },
): Promise<void> {
  const wanted = attachments as readonly KubernetesObject[];
  const existing = kinds.flatMap((kind) => ctx.observed.list(kind));
  const isSame = (a: KubernetesObject, b: KubernetesObject): boolean =>
    a.kind === b.kind && a.metadata.name === b.metadata.name;
  for (const each of wanted) {
    // One that is being deleted cannot become the wanted one; it is created again once it is gone.
    if (!existing.some((other) => isSame(each, other) && isDeleting(other))) await ctx.apply(each);
  }
  for (const each of existing) {
    const isOwn = each.metadata.managedFields?.some((entry) => entry.manager === manager && !entry.subresource);
    if (!isOwn || isDeleting(each) || wanted.some((other) => isSame(each, other))) continue;
    await ctx.delete(each, { matchResourceVersion: true });
  }
}
