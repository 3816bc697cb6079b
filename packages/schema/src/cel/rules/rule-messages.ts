import type { RuleProblem, ValidationRule } from './rule.ts';
import type { RuleNode } from './rule-tree.ts';

/** Returns the text that identifies a rule in messages: its message, or else its expression. */
export function ruleText(rule: ValidationRule): string {
  return (rule.message ? rule.message : rule.rule).trim();
}

/** Returns a node's type in quotes. Like upstream, messages show the type instead of the value. */
export function quoteType(node: RuleNode): string {
  const { type } = node.decl.schema;
  return JSON.stringify(type === 'any' ? '' : type);
}

/** Builds the problem for a rule that could not be evaluated. */
export function invalid(path: string, value: string, detail: string): RuleProblem {
  return {
    reason: 'FieldValueInvalid',
    field: path === '' ? '<nil>' : path,
    message: `Invalid value: ${value}: ${detail}`,
  };
}

/** Builds the problem for a violated rule, with the rule's `reason`. */
export function violation(
  rule: ValidationRule,
  path: string,
  found: { readonly value: string | undefined; readonly message: string },
): RuleProblem {
  const field = path === '' ? '<nil>' : path;
  const value = found.value === undefined ? '' : `: ${found.value}`;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { reason: rule.reason, field, message: `Forbidden: ${found.message}` };
    case 'FieldValueRequired':
      return { reason: rule.reason, field, message: `Required value: ${found.message}` };
    case 'FieldValueDuplicate':
      return { reason: rule.reason, field, message: `Duplicate value${value}` };
    default:
      return { reason: 'FieldValueInvalid', field, message: `Invalid value${value}: ${found.message}` };
  }
}
