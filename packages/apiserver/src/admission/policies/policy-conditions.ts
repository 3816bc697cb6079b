import type { CelExpression } from '@kubewright/schema';
import type { PolicyScope } from './policy-expression.ts';

/** CEL cost limit for all match conditions of a policy together. */
export const conditionsBudget = 2_500_000;

/**
 * Returns true if all match conditions are true, false if any is false, and otherwise the messages of the conditions that failed.
 */
export async function conditionsHold(
  conditions: readonly (CelExpression | Error)[],
  sources: readonly { readonly expression: string }[],
  scope: PolicyScope,
): Promise<boolean | string> {
  const faults: string[] = [];
  for (const [index, condition] of conditions.entries()) {
    const result = await scope.evaluate(condition);
    if (result === false) return false;
    if (result === true) continue;
    faults.push(faultOf(sources[index]?.expression ?? '', result));
  }
  if (faults.length === 0) return true;
  return faults.length === 1 ? (faults[0] as string) : `[${faults.join(', ')}]`;
}

/** Returns the message for an expression that failed or did not evaluate to a boolean. */
export function faultOf(source: string, result: unknown): string {
  const why = result instanceof Error ? result.message : 'cel expression does not evaluate to bool';
  return `expression '${source.trim()}' resulted in error: ${why}`;
}
