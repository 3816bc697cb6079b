import {
  checkQualifiedName,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { ExpressionChecker } from '@kubewright/apiserver/internal';
import type { MatchCondition } from '../generated/drafts.ts';
import { type Check, each, unique } from '../validation/check.ts';

const maxConditions = 64;

/**
 * Validates the match conditions of a webhook. Each condition must compile, so that it does not make requests fail
 * later.
 */
export const matchConditions: Check<readonly MatchCondition[]> = conditions((source) =>
  new ExpressionChecker().fault(source),
);

/** Validates the match conditions of a policy, which can refer to the policy's parameters. */
export function policyConditions(params: boolean): Check<readonly MatchCondition[]> {
  const checker = new ExpressionChecker({ params });
  return conditions((source) => checker.fault(source, ['bool']));
}

/** Returns why an expression is invalid, or undefined if it is valid. */
type FaultOf = (source: string) => string | undefined;

function conditions(faultOf: FaultOf): Check<readonly MatchCondition[]> {
  return (value, path) => listFaults(value ?? [], { path, faultOf });
}

function listFaults(
  list: readonly MatchCondition[],
  { path, faultOf }: { readonly path: FieldPath; readonly faultOf: FaultOf },
): readonly FieldError[] {
  const faults: FieldError[] = list.length > maxConditions ? [tooMany(path, list.length)] : [];
  faults.push(...each<MatchCondition>((one, at) => condition(one, { path: at, faultOf }))(list, path));
  faults.push(
    ...unique<MatchCondition>(
      ({ name }) => name || undefined,
      (at) => at.child('name'),
    )(list, path),
  );
  return faults;
}

function condition(
  value: MatchCondition | undefined,
  { path, faultOf }: { readonly path: FieldPath; readonly faultOf: FaultOf },
): readonly FieldError[] {
  const { name = '', expression = '' } = value ?? {};
  const faults: FieldError[] = [];
  const source = expression.trim();
  if (source === '') faults.push(requiredField(path.child('expression')));
  else {
    const fault = faultOf(source);
    if (fault !== undefined) faults.push(invalidField(path.child('expression'), source, fault));
  }
  if (name === '') return [...faults, requiredField(path.child('name'))];
  return [...faults, ...checkQualifiedName(name).map((detail) => invalidField(path.child('name'), name, detail))];
}

function tooMany(path: FieldPath, actual: number): FieldError {
  const body = `Too many: ${actual}: must have at most ${maxConditions} items`;
  return { type: 'FieldValueTooMany', field: String(path), body };
}
