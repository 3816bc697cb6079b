import type { KindStrategy } from '../builtin-kind.ts';

/** The validation rules of one kind, which {@link builtinValidations} adds to its strategies. */
export type KindValidation<T = never> = Pick<
  KindStrategy<T>,
  'validate' | 'validateUpdate' | 'validateName' | 'warnings'
>;

/** Entries of the map that {@link builtinValidations} builds: by `group/version/resource`, subresources by `…/view`. */
export type ValidationEntry = readonly [resource: string, KindValidation];

/** Rules, and those for creation alone: where upstream validates updates for forbidden changes only. */
export interface KindRules<T> extends KindValidation<T> {
  readonly validateCreate?: NonNullable<KindValidation<T>['validate']>;
}

/** Creates the entry for a resource's rules. An update is validated like a new object, then for forbidden changes. */
export function validationOf<T>(resource: string, given: KindRules<T>): ValidationEntry {
  const { validateCreate, ...rules } = given;
  const { validate, validateUpdate } = rules;
  const complete: KindValidation<T> = {
    ...rules,
    ...(validateCreate && {
      validate: (object, context) => [...validateCreate(object, context), ...(validate?.(object, context) ?? [])],
    }),
    validateUpdate: (object, old, context) => [
      ...(validate?.(object, context) ?? []),
      ...(validateUpdate?.(object, old, context) ?? []),
    ],
  };
  // The registry passes each strategy only objects of its kind.
  return [resource, complete as unknown as KindValidation];
}
