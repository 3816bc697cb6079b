import { apiVersionOf, formatObjectKey, type Kind, type KubernetesObject, objectKey } from '@kubewright/apimachinery';
import { childId } from '../reconcile/observed-children.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import type { Child, DesiredState, OrderedChild } from './desired-state.ts';

/** A desired child with its position in the plan. */
export interface PlannedChild {
  readonly kind: Kind<KubernetesObject>;
  /** The child with its namespace filled in. */
  readonly object: KubernetesObject;
  /** Unique among all objects. */
  readonly id: string;
  /** `Kind namespace/name`, for messages. */
  readonly name: string;
  /** Children that this child waits for. */
  readonly after: readonly { readonly id: string; readonly name: string }[];
  /** The reason why the child must not be changed now. */
  readonly inactive: string | undefined;
}

/** The owner of the planned children, and the kinds of children that it may own. */
export interface PlanOptions {
  readonly owner: KubernetesObject;
  readonly owns: readonly Kind<KubernetesObject>[];
}

/**
 * Orders the desired children so that each comes after the children it waits for, and otherwise keeps the given order.
 *
 * @throws TerminalError (KW3002) for an impossible child: a kind that is not owned, a duplicate name, or a dependency cycle.
 */
export function childPlan(
  children: NonNullable<DesiredState['children']>,
  options: PlanOptions,
): readonly PlannedChild[] {
  const planned = new Map<string, PlannedChild>();
  for (const each of children) {
    if (!each) continue;
    const { child, after, inactive }: OrderedChild = isOrdered(each) ? each : { child: each, after: [] };
    const place = placed(child, options);
    const { id, name } = place;
    if (planned.has(id))
      throw new TerminalError({
        what: `the desired state contains ${name} twice`,
        remedy: 'remove or rename one of these children',
      });
    planned.set(id, { ...place, after: after.map((first) => placed(first, options)), inactive });
  }
  return inOrder(planned);
}

/** Returns `Kind namespace/name` of an object. */
export function childName(object: KubernetesObject): string {
  return `${object.kind} ${formatObjectKey(objectKey(object))}`;
}

function isOrdered(each: Child | OrderedChild): each is OrderedChild {
  return !('apiVersion' in each);
}

function placed(child: Child, { owner, owns }: PlanOptions): Omit<PlannedChild, 'after' | 'inactive'> {
  const kind = owns.find((each) => each.kind === child.kind && apiVersionOf(each) === child.apiVersion);
  if (!kind) {
    throw new TerminalError({
      what: `cannot apply the child ${childName(child)} (${child.apiVersion})`,
      why: 'the controller does not own this kind',
      remedy: `add ${child.kind} to "owns" of the controller`,
    });
  }
  if (!child.metadata.name)
    throw new TerminalError({
      what: `cannot apply a child of kind ${child.kind}`,
      why: 'the child has no metadata.name',
      remedy: 'set metadata.name, because children are identified by name',
    });
  const { namespace } = owner.metadata;
  const needsPlace = kind.scope === 'Namespaced' && child.metadata.namespace === undefined && namespace !== undefined;
  const object = needsPlace ? { ...child, metadata: { ...child.metadata, namespace } } : child;
  return { kind, object, id: childId(object), name: childName(object) };
}

function inOrder(planned: ReadonlyMap<string, PlannedChild>): readonly PlannedChild[] {
  const done = new Set<PlannedChild>();
  const visit = (each: PlannedChild, path: readonly PlannedChild[]): void => {
    if (done.has(each)) return;
    if (path.includes(each)) {
      const ring = [...path, each].map(({ name }) => name).join(' → ');
      throw new TerminalError({
        what: `desired children wait for each other: ${ring}`,
        remedy: 'remove one of them from "after"',
      });
    }
    for (const { id, name } of each.after) {
      const first = planned.get(id);
      if (!first)
        throw new TerminalError({
          what: `${each.name} waits for ${name}, which is not a desired child`,
          remedy: `add ${name} to the children, or remove it from "after"`,
        });
      visit(first, [...path, each]);
    }
    done.add(each);
  };
  for (const each of planned.values()) visit(each, []);
  return [...done];
}
