import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  Quantity,
  requiredField,
} from '@kubewright/apimachinery';
import type { CapacityRequestPolicyRange, DeviceCapacity } from '../generated/drafts.ts';
import type { Check } from '../validation/check.ts';
import { validSet } from './valid-set.ts';

const maxOptions = 10;

/** Validates how much of a capacity a claim can request: one of some amounts, or a range (`validateRequestPolicy`, 1.36). */
export const sharedCapacity: Check<DeviceCapacity> = (capacity, path) => {
  const policy = capacity?.requestPolicy;
  if (!capacity || !policy) return [];
  const at = path.child('requestPolicy');
  const options = policy.validValues ?? [];
  const range = policy.validRange;
  if (options.length > 0 && range) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenField(at, detail)];
  }
  if (options.length === 0 && !range) return [];
  const name = options.length > 0 ? 'validValues' : 'validRange';
  if (policy.default === undefined || policy.default === null)
    return [requiredField(at.child('default'), `required when ${name} is defined`)];
  const limits = { standard: amount(policy.default), max: amount(capacity.value), path: at.child(name) };
  return range ? rangeFaults(range, limits) : optionFaults(options, limits);
};

/** The default amount, the whole capacity, and the path of the checked field. */
interface Limits {
  readonly standard: Quantity;
  readonly max: Quantity;
  readonly path: FieldPath;
}

function optionFaults(options: readonly string[], { standard, max, path }: Limits): readonly FieldError[] {
  const amounts = options.map(amount);
  const unsorted = amounts.flatMap((option, index) => {
    const before = amounts[index - 1];
    return before && before.compare(option) > 0
      ? [invalidField(path.index(index), String(option), 'values must be sorted in ascending order')]
      : [];
  });
  const option: Check<Quantity> = (value, at) =>
    value && value.compare(max) > 0
      ? [invalidField(at, String(value), `option is larger than capacity value: ${max}`)]
      : [];
  return [
    ...unsorted,
    ...validSet({ max: maxOptions, check: option, key: (value) => String(value.value()) })(amounts, path),
    ...(amounts.length > maxOptions || amounts.every((value) => value.compare(standard) !== 0)
      ? [invalidField(path, String(standard), 'default value is not valid according to the requestPolicy')]
      : []),
  ];
}

function rangeFaults(range: CapacityRequestPolicyRange, { standard, max, path }: Limits): readonly FieldError[] {
  if (range.min === undefined) return [requiredField(path.child('min'), 'required when validRange is defined')];
  const min = amount(range.min);
  const top = range.max === undefined ? undefined : amount(range.max);
  const faults: FieldError[] = [];
  const reject = (field: 'min' | 'max' | 'step', value: Quantity, detail: string): void => {
    faults.push(invalidField(path.child(field), String(value), detail));
  };
  if (min.compare(max) > 0) reject('min', min, `min is larger than capacity value: ${max}`);
  if (standard.compare(min) < 0) reject('min', standard, `default is less than min: ${min}`);
  if (top && min.compare(top) > 0) reject('max', min, `min is larger than max: ${top}`);
  if (top && top.compare(max) > 0) reject('max', top, `max is larger than capacity value: ${max}`);
  if (top && standard.compare(top) > 0) reject('max', standard, `default is more than max: ${top}`);
  if (range.step === undefined) return faults;
  const step = amount(range.step);
  const first = min.add(step);
  if (first.compare(max) > 0) reject('step', step, `one step ${first} is larger than capacity value: ${max}`);
  for (const value of [standard, ...(top ? [top] : [])]) {
    const size = step.value();
    if (size !== 0n && (value.value() - min.value()) % size !== 0n)
      reject('step', value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
  return faults;
}

function amount(text: string): Quantity {
  return Quantity.tryParse(text) ?? Quantity.zero;
}
