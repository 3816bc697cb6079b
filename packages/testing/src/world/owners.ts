import type { KubernetesObject, OwnerReference } from '@kubewright/apimachinery';
import { titleOf } from '../matchers/matcher.ts';
import { WorldError } from './world-error.ts';

/** Returns the known owners of an object, by owner reference. */
type OwnersOf = (object: KubernetesObject) => ReadonlyMap<OwnerReference, KubernetesObject>;

/**
 * Finds owners among objects. Like the garbage collector, it looks in the object's own namespace and among cluster-scoped objects.
 */
export function ownersAmong(objects: readonly KubernetesObject[]): OwnersOf {
  const byName = new Map<string, KubernetesObject[]>();
  for (const object of objects) {
    const key = keyOf({ ...object, name: object.metadata.name });
    const named = byName.get(key);
    if (named) named.push(object);
    else byName.set(key, [object]);
  }
  return ({ metadata: { namespace, ownerReferences } }) => {
    const isVisible = ({ metadata }: KubernetesObject): boolean =>
      metadata.namespace === undefined || metadata.namespace === namespace;
    return new Map(
      (ownerReferences ?? []).flatMap((reference) => {
        const owner = byName.get(keyOf(reference))?.find(isVisible);
        return owner ? [[reference, owner] as const] : [];
      }),
    );
  };
}

/**
 * Sorts objects so that every object comes after its owners; otherwise keeps their order.
 *
 * @throws WorldError (KW8001) if an object owns itself, directly or through others
 */
export function ownersFirst(objects: readonly KubernetesObject[], ownersOf: OwnersOf): readonly KubernetesObject[] {
  const sorted = new Set<KubernetesObject>();
  const visit = (object: KubernetesObject, path: ReadonlySet<KubernetesObject>): void => {
    if (sorted.has(object)) return;
    if (path.has(object)) {
      const circle = [...path].slice([...path].indexOf(object)).map(titleOf);
      throw new WorldError({
        what: `cannot create ${titleOf(object)}`,
        why: circle.length === 1 ? 'the object owns itself' : `these objects own each other: ${circle.join(', ')}`,
        remedy: 'remove one of their owner references',
      });
    }
    for (const owner of ownersOf(object).values()) visit(owner, new Set([...path, object]));
    sorted.add(object);
  };
  for (const object of objects) visit(object, new Set());
  return [...sorted];
}

function keyOf(of: {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string | undefined;
}): string {
  return `${of.apiVersion} ${of.kind} ${of.name}`;
}
