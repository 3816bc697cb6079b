import type { StatusOf } from '../reconcile/reconcile.ts';

/**
 * A desired state whose status has no fields beyond those of `T`'s status, at any depth.
 *
 * For function results, the compiler reports only missing and mistyped fields. This type makes it report extra fields too,
 * because the API server would drop or reject them.
 */
export interface ExactStatus<T, Status> {
  readonly status?: Only<NonNullable<Status>, StatusOf<T>>;
}

/** `Given`, with every field that `Known` lacks turned into `never`. */
type Only<Given, Known> = Known extends readonly (infer K)[]
  ? Given extends readonly (infer G)[]
    ? readonly Only<G, K>[]
    : Known
  : Known extends object
    ? string extends keyof Known
      ? Known
      : { readonly [F in keyof Given]: F extends keyof Known ? Only<Given[F], Known[F]> : never }
    : Known;
