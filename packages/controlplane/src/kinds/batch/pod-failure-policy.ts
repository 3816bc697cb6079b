import {
  checkQualifiedName,
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
} from '@kubewright/apimachinery';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../generated/drafts.ts';
import { type Check, enumOf, required } from '../validation/check.ts';
import { tooManyField } from '../validation/too-many-field.ts';

const checkAction = requiredOneOf(['Count', 'FailIndex', 'FailJob', 'Ignore']);
const checkOperator = requiredOneOf(['In', 'NotIn']);
const checkStatus = requiredOneOf(['False', 'True', 'Unknown']);
const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;

/** Validates a Job's pod failure policy. Mirrors `validatePodFailurePolicy` (1.36). */
export function podFailurePolicyFaults(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  if (!spec.podFailurePolicy) return [];
  const list = path.child('podFailurePolicy', 'rules');
  const rules = spec.podFailurePolicy.rules ?? [];
  const template = spec.template.spec;
  const names = new Set([...(template.containers ?? []), ...(template.initContainers ?? [])].map(({ name }) => name));
  return [
    ...(rules.length > maxRules ? [tooManyField(list, { count: rules.length, max: maxRules })] : []),
    ...rules.flatMap((rule, index) => ruleFaults(rule, { spec, path: list.index(index), names })),
  ];
}

interface RuleContext {
  readonly spec: JobSpec;
  readonly path: FieldPath;
  readonly names: ReadonlySet<string>;
}

function ruleFaults(rule: PodFailurePolicyRule, { spec, path, names }: RuleContext): readonly FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const at = path.child('action');
  const faults: FieldError[] = [
    ...(action === 'FailIndex'
      ? spec.backoffLimitPerIndex === undefined
        ? [invalidField(at, action, 'requires the backoffLimitPerIndex to be set')]
        : []
      : checkAction(action, at)),
  ];
  if (onExitCodes) faults.push(...exitCodeFaults(onExitCodes, { path: path.child('onExitCodes'), names }));
  faults.push(...conditionFaults(onPodConditions, path.child('onPodConditions')));
  const both = 'specifying both OnExitCodes and OnPodConditions is not supported';
  const none = 'specifying one of OnExitCodes and OnPodConditions is required';
  if (onExitCodes && onPodConditions.length > 0) faults.push(invalidWithoutValue(path, both));
  if (!onExitCodes && onPodConditions.length === 0) faults.push(invalidWithoutValue(path, none));
  return faults;
}

/** Builds an error without the invalid value, as upstream does. */
function invalidWithoutValue(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: String(path), body: `Invalid value: ${detail}` };
}

function requiredOneOf(values: readonly string[]): Check<string> {
  const listed = values.map((each) => JSON.stringify(each)).join(' ');
  return required(enumOf(...values), `valid values: [${listed}]`);
}

function conditionFaults(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (patterns.length > maxPatterns) faults.push(tooManyField(path, { count: patterns.length, max: maxPatterns }));
  for (const [index, { type = '', status }] of patterns.entries()) {
    const at = path.index(index);
    faults.push(...checkQualifiedName(type).map((detail) => invalidField(at.child('type'), type, detail)));
    faults.push(...checkStatus(status, at.child('status')));
  }
  return faults;
}

function exitCodeFaults(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  { path, names }: { readonly path: FieldPath; readonly names: ReadonlySet<string> },
): readonly FieldError[] {
  const faults = [...checkOperator(operator, path.child('operator'))];
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    faults.push(invalidField(path.child('containerName'), containerName, detail));
  }
  const list = path.child('values');
  const codes = values ?? [];
  if (codes.length === 0) faults.push(invalidField(list, values, 'at least one value is required'));
  if (codes.length > maxExitCodes) faults.push(tooManyField(list, { count: codes.length, max: maxExitCodes }));
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    const at = list.index(index);
    if (operator === 'In' && code === 0) faults.push(invalidField(at, code, 'must not be 0 for the In operator'));
    if (seen.has(code)) faults.push(duplicateField(at, code));
    seen.add(code);
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? code) <= code);
  return isOrdered ? faults : [...faults, invalidField(list, codes, 'must be ordered')];
}
