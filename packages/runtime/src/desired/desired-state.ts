import type { ConditionUpdate, KubernetesObject, UnstructuredObject } from '@kubewright/apimachinery';
import type { ReconcileResult, StatusOf } from '../reconcile/reconcile.ts';

/**
 * A desired object. If it has no namespace, it is created in its owner's namespace.
 *
 * @example
 * ```ts
 * const childrenOf = ({ metadata, spec }: Stored<Website>): readonly Child[] => [
 *   ConfigMap({ metadata: { name: metadata.name }, data: { 'index.html': spec.html } }),
 *   { apiVersion: 'example.com/v1', kind: 'Certificate', metadata: { name: metadata.name }, spec: { host: spec.host } },
 * ];
 * ```
 */
export type Child = KubernetesObject | UnstructuredObject;

/** A child that must not be changed before other children are ready. Created by {@link after}. */
export interface OrderedChild {
  readonly child: Child;
  readonly after: readonly Child[];
  /** The reason why the child must not be changed now. Set by {@link activateIf}. */
  readonly inactive?: string | undefined;
}

/**
 * The desired state of an object: its children and its status. The framework applies differences, deletes children that
 * are no longer listed, and writes the status. The state can also contain the fields of a {@link ReconcileResult}.
 */
export interface DesiredState<T extends KubernetesObject = KubernetesObject> extends ReconcileResult {
  /**
   * All desired children. All other objects of the kinds in `owns` are deleted if this object controls them (by UID) and this
   * controller has applied them (by field manager). `false` and `undefined` are skipped, so you can write `wanted && podFor(db)`.
   * If absent, children are not changed.
   */
  readonly children?: readonly (Child | OrderedChild | false | null | undefined)[];
  /**
   * Decides whether a child that is no longer desired can be deleted now; returns true, or the reason to keep the
   * child. Called again in every reconcile. The reason appears in the conditions. Like JOSDK's delete conditions.
   *
   * @example
   * ```ts
   * mayDelete: (child) => child.kind !== 'PersistentVolumeClaim' || backup.isDone || 'waits for the last backup'
   * ```
   *
   * @defaultValue every child may be deleted
   */
  readonly mayDelete?: (child: KubernetesObject) => true | string;
  /**
   * The whole status. `observedGeneration` is filled in; conditions in the status work like
   * {@link DesiredState.conditions}. If both are absent, the status is not written.
   */
  readonly status?: DesiredStatus<StatusOf<T>>;
  /**
   * Conditions in addition to, or instead of, the conditions derived from the children: `Ready`, and while they are
   * true `Reconciling` and `Stalled` (following kstatus). Transition times are filled in.
   */
  readonly conditions?: readonly ConditionUpdate[];
}

/** The status in a desired state: fields that the framework fills in are optional. */
export type DesiredStatus<Status> = Omit<Status, 'conditions' | 'observedGeneration'> &
  Partial<Pick<Status, keyof Status & ('conditions' | 'observedGeneration')>>;

/**
 * Delays a child until others are ready: the child is not created or changed until they exist and are ready (following kstatus;
 * a `Job` is ready when it is complete). The child is not deleted while it waits.
 *
 * @example
 * ```ts
 * children: [database, after(database, migration), after([database, migration], web)]
 * ```
 */
export function after(first: Child | readonly Child[], then: Child): OrderedChild {
  return { child: then, after: Array.isArray(first) ? (first as readonly Child[]) : [first as Child] };
}

/**
 * A desired state whose status has no fields beyond those of `T`'s status, at any depth.
 *
 * For function results, the compiler reports only missing and mistyped fields. This type makes it report extra fields too,
 * because the API server would drop or reject them.
 */
export interface ExactStatus<T, Status> {
  readonly status?: Only<NonNullable<Status>, StatusOf<T>>;
}

/** `Given`, with a type that no value has for every field that `Known` lacks. */
type Only<Given, Known> = Known extends readonly (infer K)[]
  ? Given extends readonly (infer G)[]
    ? readonly Only<G, K>[]
    : Known
  : Known extends object
    ? string extends keyof Known
      ? Known
      : {
          readonly [F in keyof Given]: F extends keyof Known
            ? Only<Given[F], Known[F]>
            : Undeclared<Given[F], F, Known>;
        }
    : Known;

/** Rejects a value of any type, also of the type `any`. */
type Undeclared<Value, Field, Known> = 0 extends 1 & Value ? never : UndeclaredField<Field, Known>;

/**
 * Names a field and the type that lacks it in the messages of the compiler: "Type 'number' is not assignable to type
 * 'UndeclaredField<"pods", ShopStatus>'". No value has this type.
 */
export interface UndeclaredField<Field, Known> {
  readonly [isUndeclared]: readonly [Field, Known];
}

declare const isUndeclared: unique symbol;

/**
 * Delays a child until a condition holds. While the condition does not hold, the child is not created, changed or
 * deleted, and the reason appears in the conditions. To delete a child instead, leave it out: `isWanted && child`. Like
 * JOSDK's activation conditions.
 *
 * @param condition - true, or the reason why the child has to wait.
 *
 * @example
 * ```ts
 * children: [database, activateIf(observed.get(Secret, 'tls') !== undefined || 'waits for the Secret "tls"', after(database, web))]
 * ```
 */
export function activateIf(condition: true | string, child: Child | OrderedChild): OrderedChild {
  const ordered = 'apiVersion' in child ? { child: child as Child, after: [] } : (child as OrderedChild);
  return condition === true ? ordered : { ...ordered, inactive: condition };
}
