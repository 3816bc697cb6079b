import type { Condition } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { fail, titleOf } from './matcher.ts';
import { matches } from './to-match.ts';

interface WithConditions {
  readonly metadata?: { readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly (Partial<Condition> & { readonly type: string })[];
  };
}

/**
 * Matches objects with a condition in the expected state. A condition that was computed for an older generation of the
 * object is ignored, as in `kubectl wait`.
 *
 * @param expected - `status` is `True` by default; `reason` and `message` are compared if given
 * @throws AssertionError with the difference
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(Deployment).get({ name: 'web' }), toHaveCondition('Available'));
 * await eventually(() => client.resource(Pod).get({ name: 'web-0' }), toHaveCondition('Ready', { status: 'False', message: /unready/ }));
 * ```
 */
export function toHaveCondition<T>(
  type: string,
  expected: {
    readonly status?: Condition['status'];
    readonly reason?: string | RegExp;
    readonly message?: string | RegExp;
  } = {},
): (object: T) => void {
  const wanted = { type, ...defined({ status: 'True', ...expected }) };
  return (object) => {
    const { metadata, status } = (object ?? {}) as WithConditions;
    const found = status?.conditions?.find((one) => one.type === type);
    if (!found) {
      const types = status?.conditions?.map((one) => one.type).join(', ') || 'none';
      fail(`${titleOf(object)} has no condition ${type}; its conditions: ${types}`, {
        expected: wanted,
        actual: undefined,
      });
    }
    const { status: state, reason, message } = found;
    const actual = { type, status: state, reason, message };
    const shown = Object.fromEntries(Object.entries(actual).filter(([name]) => name in wanted));
    if (!matches(wanted, actual)) {
      const why = [reason, message].filter(Boolean).join(': ');
      fail(`condition ${type} of ${titleOf(object)} is ${state}${why && ` (${why})`}`, {
        expected: wanted,
        actual: shown,
      });
    }
    const seen = found.observedGeneration ?? status?.observedGeneration;
    const generation = metadata?.generation;
    if (seen === undefined || generation === undefined || seen >= generation) return;
    fail(`condition ${type} of ${titleOf(object)} is outdated`, {
      expected: { observedGeneration: generation },
      actual: { observedGeneration: seen },
    });
  };
}
