import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type { JobSpec, SuccessPolicy, SuccessPolicyRule } from '../generated/drafts.ts';
import { nonNegative } from '../validation/check.ts';
import { tooManyField } from '../validation/too-many-field.ts';
import { parseIndexes } from './index-lists.ts';

const maxRules = 20;
const maxIndexBytes = 64 * 1024;

/** Validates an Indexed Job's success policy. Mirrors `validateSuccessPolicy` (1.36). */
export function successPolicyFaults(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const { successPolicy, completionMode, completions = 0 } = spec;
  if (!successPolicy) return [];
  const at = path.child('successPolicy');
  if (completionMode !== 'Indexed') {
    return [invalidField(at, goPolicy(successPolicy), 'requires indexed completion mode')];
  }
  const rules = successPolicy.rules ?? [];
  const list = at.child('rules');
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [requiredField(list, missing)] : []),
    ...(rules.length > maxRules ? [tooManyField(list, { count: rules.length, max: maxRules })] : []),
    ...rules.flatMap((rule, index) => ruleFaults(rule, { path: list.index(index), completions })),
  ];
}

/** Formats a policy with Go's field names, for error messages. */
function goPolicy({ rules }: SuccessPolicy): Record<string, unknown> {
  const shown = (rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: rules ? shown : null };
}

function ruleFaults(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  { path, completions }: { readonly path: FieldPath; readonly completions: number },
): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (succeededIndexes === undefined && succeededCount === undefined) {
    faults.push(requiredField(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const at = path.child('succeededIndexes');
    if (Buffer.byteLength(succeededIndexes) > maxIndexBytes) faults.push(tooLongField(at, { max: maxIndexBytes }));
    const parsed = parseIndexes(succeededIndexes, completions);
    if ('fault' in parsed) {
      faults.push(invalidField(at, succeededIndexes, `error parsing succeededIndexes: ${parsed.fault}`));
    } else total = parsed.count;
  }
  if (succeededCount === undefined) return faults;
  const at = path.child('succeededCount');
  faults.push(...nonNegative(succeededCount, at));
  if (succeededCount > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    faults.push(invalidField(at, succeededCount, detail));
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const detail = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    faults.push(invalidField(at, succeededCount, detail));
  }
  return faults;
}
