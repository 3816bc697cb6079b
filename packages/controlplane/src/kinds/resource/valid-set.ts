import { all, type Check, each, unique } from '../validation/check.ts';
import { tooManyField } from '../validation/too-many-field.ts';

/**
 * Validates a list whose items must have different keys. A list with too many items gets no other error. Mirrors `validateSet` of
 * the resource group (1.36).
 */
export function validSet<T>(rules: {
  readonly max: number;
  readonly check: Check<T>;
  key(item: T): string;
}): Check<T[]> {
  const checks = all<T[]>(each(rules.check), unique(rules.key));
  return (list, path) => {
    const count = list?.length ?? 0;
    return count > rules.max ? [tooManyField(path, { count, max: rules.max })] : checks(list, path);
  };
}
