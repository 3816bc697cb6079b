import { parseExactJson, sameJson } from '@kubewright/apimachinery/internal';
import type { ManagedFieldsEntry } from '@kubewright/apimachinery/meta/v1';
import type { PathStep } from './json-difference.ts';

/** Returns the managers whose entries own a path, as `name (Apply)` or `name (Update, status)`. */
export function fieldOwners(
  entries: readonly ManagedFieldsEntry[],
  options: { readonly steps: readonly PathStep[] },
): readonly string[] {
  return entries
    .filter((entry) => holds(entry.fieldsV1, options.steps))
    .map(({ manager = 'unknown', operation = 'Update', subresource }) =>
      subresource ? `${manager} (${operation}, ${subresource})` : `${manager} (${operation})`,
    );
}

/** Reports whether the entry owns the path. A leaf of the entry's field set owns all fields below it too. */
function holds(fields: unknown, steps: readonly PathStep[]): boolean {
  if (!isMap(fields)) return false;
  const [step, ...rest] = steps;
  const members = Object.keys(fields).filter((each) => each !== '.');
  if (step === undefined || members.length === 0) return true;
  if ('field' in step) return Object.hasOwn(fields, `f:${step.field}`) && holds(fields[`f:${step.field}`], rest);
  const key = members.find((each) => names(each, step));
  return key !== undefined && holds(fields[key], rest);
}

function names(member: string, { item, index }: { readonly item: unknown; readonly index: number }): boolean {
  if (member === `i:${index}`) return true;
  try {
    if (member.startsWith('v:')) return sameJson(item, parseExactJson(member.slice(2)));
    if (!member.startsWith('k:') || !isMap(item)) return false;
    return Object.entries(parseExactJson(member.slice(2)) as object).every(([name, value]) => item[name] === value);
  } catch {
    // The path element has an unknown form.
    return false;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
