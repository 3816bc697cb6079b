import {
  checkQualifiedName,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { conditionFault } from '@kubewright/apiserver/internal';
import type { MatchCondition } from '../generated/drafts.ts';
import { type Check, each, unique } from '../validation/check.ts';

const MAX_CONDITIONS = 64;

/** Match conditions of a webhook. Each must compile, so that requests do not fail on it later. */
export const matchConditions: Check<readonly MatchCondition[]> = (value, path) => {
  const list = value ?? [];
  const faults: FieldError[] = list.length > MAX_CONDITIONS ? [tooMany(path, list.length)] : [];
  faults.push(...each(condition)(list, path));
  faults.push(
    ...unique<MatchCondition>(
      ({ name }) => name,
      (at) => at.child('name'),
    )(list, path),
  );
  return faults;
};

function condition(value: MatchCondition | undefined, path: FieldPath): readonly FieldError[] {
  const { name = '', expression = '' } = value ?? {};
  const faults: FieldError[] = [];
  const source = expression.trim();
  if (source === '') faults.push(requiredField(path.child('expression')));
  else {
    const fault = conditionFault(source);
    if (fault !== undefined) faults.push(invalidField(path.child('expression'), source, fault));
  }
  if (name === '') return [...faults, requiredField(path.child('name'))];
  return [...faults, ...checkQualifiedName(name).map((detail) => invalidField(path.child('name'), name, detail))];
}

function tooMany(path: FieldPath, actual: number): FieldError {
  const body = `Too many: ${actual}: must have at most ${MAX_CONDITIONS} items`;
  return { type: 'FieldValueTooMany', field: String(path), body };
}
