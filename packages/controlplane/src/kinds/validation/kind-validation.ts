import type { KindStrategy } from '../builtin-kind.ts';

/** The validation rules of one kind, which become part of its strategies. */
export type KindValidation<T = never> = Pick<
  KindStrategy<T>,
  'validate' | 'validateUpdate' | 'validateName' | 'warnings'
>;

/**
 * An entry of the map that {@link builtinValidations} returns. The key is `group/version/resource`, followed by `/name` for a
 * subresource.
 */
export type ValidationEntry = readonly [resource: string, KindValidation];

/** Validation rules. `validateCreate` applies only to creation; upstream then checks updates only for forbidden changes. */
export interface KindRules<T> extends KindValidation<T> {
  readonly validateCreate?: NonNullable<KindValidation<T>['validate']>;
}

/** Creates the entry of a resource. An update runs `validate`, too, followed by `validateUpdate`. */
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
