import type { KindStrategy } from '../builtin-kind.ts';

/** The rules of one kind: what {@link builtinValidations} adds to its strategies. */
export type KindValidation<T = never> = Pick<
  KindStrategy<T>,
  'validate' | 'validateUpdate' | 'validateName' | 'warnings'
>;

/** Entries of the map that {@link builtinValidations} joins: by `group/version/resource`, views by `…/view`. */
export type ValidationEntry = readonly [resource: string, KindValidation];

/** Names the resource that rules are for. An update is checked like a new object, then for what may not change. */
export function validationOf<T>(resource: string, rules: KindValidation<T>): ValidationEntry {
  const { validate, validateUpdate } = rules;
  const complete: KindValidation<T> = {
    ...rules,
    validateUpdate: (object, old, context) => [
      ...(validate?.(object, context) ?? []),
      ...(validateUpdate?.(object, old, context) ?? []),
    ],
  };
  // The registry hands each strategy objects of its kind only.
  return [resource, complete as unknown as KindValidation];
}
