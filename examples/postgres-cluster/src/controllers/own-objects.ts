import { type Kind, type KubernetesObject, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { ScaleStep } from '../plan/scale.ts';
import { belongsTo } from '../spec/belongs-to.ts';

/** The controller's name, and the field manager of its writes. */
export const clusterController = 'postgrescluster';

type Ownership = 'controller' | 'none';

/**
 * Reads and writes the objects of one cluster. Foreign objects with the same names are recorded, but never changed or deleted.
 */
export class OwnObjects {
  readonly #cluster: Stored<PostgresCluster>;
  readonly #ctx: ReconcileContext<PostgresCluster>;
  readonly #foreign = new Set<string>();

  constructor(cluster: Stored<PostgresCluster>, ctx: ReconcileContext<PostgresCluster>) {
    this.#cluster = cluster;
    this.#ctx = ctx;
  }

  /** The foreign objects found so far, such as `Secret "shop-app"`. */
  get foreign(): readonly string[] {
    return [...this.#foreign];
  }

  /** Returns an object, or undefined if it does not exist or does not belong to the cluster. */
  async get<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<Stored<T> | undefined> {
    const found = await this.#find(kind, name);
    return found && belongsTo(found, this.#cluster) ? found : undefined;
  }

  /** Returns true if an object with this name exists but does not belong to the cluster. */
  async isForeign(kind: Kind<KubernetesObject>, name: string): Promise<boolean> {
    const found = await this.#find(kind, name);
    return found !== undefined && !belongsTo(found, this.#cluster);
  }

  /** Returns the allowed steps. While foreign objects exist, steps that start an instance are left out. */
  async permitted(steps: readonly ScaleStep[]): Promise<readonly ScaleStep[]> {
    for (const { name } of steps.filter(startsInstance)) {
      await this.#find(PersistentVolumeClaim, name);
      await this.#find(Pod, name);
    }
    return this.#foreign.size === 0 ? steps : steps.filter((step) => !startsInstance(step));
  }

  /**
   * Creates or updates objects of one kind. Foreign objects are skipped.
   *
   * @rbac groups="" resources=persistentvolumeclaims;pods;secrets;serviceaccounts;services verbs=get;list;watch;create;patch
   * @rbac groups=rbac.authorization.k8s.io resources=roles;rolebindings verbs=get;list;watch;create;patch
   * @rbac groups=policy resources=poddisruptionbudgets verbs=get;list;watch;create;patch
   * @rbac groups=coordination.k8s.io resources=leases verbs=get;list;watch;create;patch
   */
  async apply<T extends KubernetesObject>(
    kind: Kind<T>,
    objects: readonly T[],
    ownership: Ownership = 'controller',
  ): Promise<void> {
    for (const object of objects) {
      const { name = '' } = object.metadata;
      const found = await this.#find(kind, name);
      if (!found) await this.#create(kind, object, ownership);
      else if (belongsTo(found, this.#cluster)) await this.#ctx.apply(object, { ownership });
    }
  }

  /**
   * Creates an object. Unlike an apply, a create fails if the object exists but is not in the cache yet, so a foreign object is
   * never changed.
   *
   * @rbac groups="" resources=persistentvolumeclaims;pods;secrets;serviceaccounts;services verbs=create
   * @rbac groups=rbac.authorization.k8s.io resources=roles;rolebindings verbs=create
   * @rbac groups=policy resources=poddisruptionbudgets verbs=create
   * @rbac groups=coordination.k8s.io resources=leases verbs=create
   */
  async #create<T extends KubernetesObject>(kind: Kind<T>, object: T, ownership: Ownership): Promise<void> {
    const { namespace = '' } = this.#cluster.metadata;
    const placed = { ...object, metadata: { ...object.metadata, namespace } };
    const owned = ownership === 'none' ? placed : setControllerReference(placed, this.#cluster);
    const { client, signal } = this.#ctx;
    await client.resource(kind).create(owned, { fieldManager: clusterController, signal });
  }

  /**
   * Finds an object by name, and records it if it is foreign.
   *
   * @rbac groups="" resources=persistentvolumeclaims;pods;secrets;serviceaccounts;services verbs=get;list;watch
   * @rbac groups=rbac.authorization.k8s.io resources=roles;rolebindings verbs=get;list;watch
   * @rbac groups=policy resources=poddisruptionbudgets verbs=get;list;watch
   * @rbac groups=coordination.k8s.io resources=leases verbs=get;list;watch
   */
  async #find<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<Stored<T> | undefined> {
    const { namespace = '' } = this.#cluster.metadata;
    const found = await this.#ctx.get(kind, { namespace, name });
    if (found && !belongsTo(found, this.#cluster)) this.#foreign.add(`${kind.kind} "${name}"`);
    return found;
  }
}

function startsInstance(step: ScaleStep): boolean {
  return step.do === 'create' || step.do === 'start';
}
