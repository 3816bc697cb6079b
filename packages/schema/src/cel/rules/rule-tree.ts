import type { SchemaNode } from '../../node/schema-node.ts';
import type { CelEnvironment } from '../environment.ts';
import { type DeclType, declTypeOf } from '../schema/decl-type.ts';
import { type CompiledRule, compileRule, type RuleFault } from './compile-rule.ts';
import { childSchema, type RuleProblem, type RulesAt, type SchemaStep, type ValidationRule } from './rule.ts';
import type { RuleCosts } from './rule-costs.ts';

/**
 * The compiled rules of a schema, as a tree that mirrors the schema. Contains only nodes that have rules at or below them.
 */
export interface RuleNode {
  readonly decl: DeclType;
  readonly own: CompiledRule[];
  readonly allOf: CompiledRule[];
  readonly properties: Map<string, RuleNode>;
  items: RuleNode | undefined;
  values: RuleNode | undefined;
}

/** Options for {@link buildRuleTree}. */
export interface TreeOptions {
  readonly environment: CelEnvironment;
  /** Path of the schema in the CRD, for reported problems, such as `spec.validation.openAPIV3Schema`. */
  readonly schemaPath: string;
  readonly problems: RuleProblem[];
  /** Collects the costs of rules. If absent, costs are not estimated. */
  readonly costs?: RuleCosts | undefined;
}

/** Compiles all rules into a tree. */
export function buildRuleTree(schema: SchemaNode, rules: readonly RulesAt[], options: TreeOptions): RuleNode {
  const root = newNode(schema, true);
  for (const at of rules) addRules(root, at, options);
  if (options.costs !== undefined) options.problems.push(...options.costs.problems);
  return root;
}

function newNode(schema: SchemaNode, resourceRoot: boolean): RuleNode {
  const decl = declTypeOf(schema, { name: 'selfType', resourceRoot: resourceRoot || schema.embeddedResource === true });
  return { decl, own: [], allOf: [], properties: new Map(), items: undefined, values: undefined };
}

function addRules(root: RuleNode, at: RulesAt, options: TreeOptions): void {
  let node = root;
  let path = options.schemaPath;
  let uncorrelatable: string | undefined;
  for (const step of at.path) {
    if (step === 'items' && node.decl.schema.listType !== 'map') uncorrelatable ??= path;
    const child = descend(node, step);
    if (child === undefined) return;
    node = child;
    path += stepPath(step);
  }
  at.rules.forEach((rule, i) => {
    const { compiled, faults } = compileRule(rule, { decl: node.decl, environment: options.environment });
    const place = `${path}.x-kubernetes-validations[${i}]`;
    for (const { part, detail } of faults) {
      options.problems.push(invalid(`${place}.${part}`, faultyValue(rule, part), detail));
    }
    if (compiled?.usesOldSelf === true && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      options.problems.push(invalid(`${place}.rule`, JSON.stringify(rule.rule), detail));
    }
    if (compiled !== undefined) options.costs?.add(compiled, at, place);
    if (compiled !== undefined) (at.allOf === true ? node.allOf : node.own).push(compiled);
  });
}

function stepPath(step: SchemaStep): string {
  if (step === 'items') return '.items';
  return step === 'values' ? '.additionalProperties' : `.properties[${step.property}]`;
}

function descend(node: RuleNode, step: SchemaStep): RuleNode | undefined {
  const schema = childSchema(node.decl.schema, step);
  if (schema === undefined) return undefined;
  if (step === 'items') {
    node.items ??= newNode(schema, false);
    return node.items;
  }
  if (step === 'values') {
    node.values ??= newNode(schema, false);
    return node.values;
  }
  let child = node.properties.get(step.property);
  if (child === undefined) {
    child = newNode(schema, false);
    node.properties.set(step.property, child);
  }
  return child;
}

function invalid(field: string, value: string, detail: string): RuleProblem {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${value}: ${detail}` };
}

function faultyValue(rule: ValidationRule, part: RuleFault['part']): string {
  if (part === 'optionalOldSelf') return String(rule.optionalOldSelf);
  return part === 'fieldPath' ? JSON.stringify(rule.fieldPath) : printRule(rule);
}

/** Formats a rule as the API server prints it: as a Go struct, with Go's field names and escapes. */
function printRule(rule: ValidationRule): string {
  const json = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
