import type { StatusOf } from '../controller/reconcile.ts';

/**
 * A desired state whose status has no fields beyond those of `T`'s status, at any depth.
 *
 * The compiler compares what a function returns with the declared type for missing and wrong fields only. This makes it report
 * extra fields, too: the API server would drop or reject them.
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
