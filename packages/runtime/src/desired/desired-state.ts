import type {
  ConditionUpdate,
  Kind,
  KubernetesObject,
  ObjectKey,
  Stored,
  UnstructuredObject,
} from '@kubewright/apimachinery';
import type { ReconcileResult, StatusOf } from '../controller/reconcile.ts';

/** An object that is wanted. Without a namespace it goes where its owner is. */
export type Child = KubernetesObject | UnstructuredObject;

/** A child that is not touched before others are ready. Made by {@link after}. */
export interface OrderedChild {
  readonly child: Child;
  readonly after: readonly Child[];
}

/**
 * What should be: the children of an object and what its status says. The framework makes it so: it applies what differs,
 * deletes children that are no longer named, and writes the status. What a {@link ReconcileResult} asks for may be asked
 * for here, too.
 */
export interface DesiredState<T extends KubernetesObject = KubernetesObject> extends ReconcileResult {
  /**
   * Every child there should be. Of the kinds in `owns`, all others are deleted that this object controls (by uid) and that
   * this controller has applied (by its field manager). `false` and `undefined` are skipped, so that `wanted && podFor(db)`
   * can be written. Absent: children are left alone.
   */
  readonly children?: readonly (Child | OrderedChild | false | null | undefined)[];
  /**
   * The whole status. `observedGeneration` is filled in; conditions in it count as those of {@link DesiredState.conditions}. If
   * both are absent, the status is not written.
   */
  readonly status?: WantedStatus<StatusOf<T>>;
  /**
   * Conditions beside, or in place of, those derived from the children: `Ready`, and while they hold `Reconciling` and
   * `Stalled` (the rules of kstatus). Transition times are filled in.
   */
  readonly conditions?: readonly ConditionUpdate[];
}

/** A status as a desired state has it: the fields that the framework fills in are optional. */
export type WantedStatus<Status> = Omit<Status, 'conditions' | 'observedGeneration'> &
  Partial<Pick<Status, keyof Status & ('conditions' | 'observedGeneration')>>;

/** The children that there are: objects of the kinds in `owns` that the reconciled object controls. */
export interface Observed {
  /** One child; a name is looked for in the namespace of the owner. */
  get<C extends KubernetesObject>(kind: Kind<C>, name: string | ObjectKey | undefined): Stored<C> | undefined;
  /** All children of a kind, in order of namespace and name. */
  list<C extends KubernetesObject>(kind: Kind<C>): readonly Stored<C>[];
}

/**
 * Lets a child wait: it is neither made nor changed before the others are there and ready (the rules of kstatus; a `Job` is
 * ready when it is complete). It is not deleted while it waits.
 *
 * @example
 * ```ts
 * children: [database, after(database, migration), after([database, migration], web)]
 * ```
 */
export function after(first: Child | readonly Child[], then: Child): OrderedChild {
  return { child: then, after: Array.isArray(first) ? (first as readonly Child[]) : [first as Child] };
}
