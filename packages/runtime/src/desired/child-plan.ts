import { apiVersionOf, formatObjectKey, type Kind, type KubernetesObject, objectKey } from '@kubewright/apimachinery';
import { TerminalError } from '../controller/terminal-error.ts';
import type { Child, DesiredState, OrderedChild } from './desired-state.ts';

/** A wanted child in its place. */
export interface PlannedChild {
  readonly kind: Kind<KubernetesObject>;
  /** With its namespace. */
  readonly object: KubernetesObject;
  /** `Kind namespace/name`, as people and messages say it. */
  readonly id: string;
  /** Ids of the children that it waits for. */
  readonly after: readonly string[];
}

/** What a plan must fit. */
export interface PlanOptions {
  readonly owner: KubernetesObject;
  readonly owns: readonly Kind<KubernetesObject>[];
}

/**
 * Puts wanted children into an order in which each comes after those that it waits for; otherwise the order given.
 *
 * @throws TerminalError (KW3002) for a child that cannot be: a kind that is not owned, a name twice, waiting for each other.
 */
export function childPlan(
  children: NonNullable<DesiredState['children']>,
  options: PlanOptions,
): readonly PlannedChild[] {
  const planned = new Map<string, PlannedChild>();
  for (const each of children) {
    if (!each) continue;
    const { child, after } = isOrdered(each) ? each : { child: each, after: [] };
    const { kind, object, id } = placed(child, options);
    if (planned.has(id)) throw new TerminalError(`two of the wanted children are ${id}; give one another name`);
    planned.set(id, { kind, object, id, after: after.map((first) => placed(first, options).id) });
  }
  return inOrder(planned);
}

/** `Kind namespace/name` of an object. */
export function childId(object: KubernetesObject): string {
  return `${object.kind} ${formatObjectKey(objectKey(object))}`;
}

function isOrdered(each: Child | OrderedChild): each is OrderedChild {
  return !('apiVersion' in each);
}

function placed(child: Child, { owner, owns }: PlanOptions): Pick<PlannedChild, 'kind' | 'object' | 'id'> {
  const kind = owns.find((each) => each.kind === child.kind && apiVersionOf(each) === child.apiVersion);
  if (!kind) {
    throw new TerminalError(
      `${child.kind} (${child.apiVersion}) is wanted as a child and is not owned: add it to "owns" of the controller`,
    );
  }
  if (!child.metadata.name)
    throw new TerminalError(`a wanted ${child.kind} has no metadata.name; children are found by it`);
  const { namespace } = owner.metadata;
  const needsPlace = kind.scope === 'Namespaced' && child.metadata.namespace === undefined && namespace !== undefined;
  const object = needsPlace ? { ...child, metadata: { ...child.metadata, namespace } } : child;
  return { kind, object, id: childId(object) };
}

function inOrder(planned: ReadonlyMap<string, PlannedChild>): readonly PlannedChild[] {
  const done = new Set<PlannedChild>();
  const visit = (each: PlannedChild, path: readonly string[]): void => {
    if (done.has(each)) return;
    if (path.includes(each.id))
      throw new TerminalError(`children wait for each other: ${[...path, each.id].join(' → ')}; take one "after" away`);
    for (const id of each.after) {
      const first = planned.get(id);
      if (!first)
        throw new TerminalError(`${each.id} waits for ${id}, which is not among the wanted children; add it to them`);
      visit(first, [...path, each.id]);
    }
    done.add(each);
  };
  for (const each of planned.values()) visit(each, []);
  return [...done];
}
