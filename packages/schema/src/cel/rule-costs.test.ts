import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../pattern/pattern.ts';
import type { JsonSchema } from '../structural/json-schema.ts';
import { compileStructuralSchema } from '../structural/structural-schema.ts';
import { kubernetesEnvironment } from './kubernetes-environment.ts';
import type { RuleProblem } from './rules/rule.ts';
import { compileRules } from './rules/rule-validator.ts';
import { rulesOf } from './rules/rules-of.ts';
// A real API server's responses to these cases are recorded with testdata/record-costs.mjs.
import * as cases from './testdata/cost-cases.mjs';

interface Answers {
  readonly expressions: readonly { readonly most?: number; readonly message: string }[];
  readonly schemas: readonly (readonly RuleProblem[])[];
  readonly roots: readonly (readonly RuleProblem[])[];
}

const answers: Answers = JSON.parse(readFileSync(new URL('./testdata/cost-answers.json', import.meta.url), 'utf8'));
const environment = kubernetesEnvironment();

function problemsOf(root: JsonSchema, unchanged = false): readonly RuleProblem[] {
  const schema: JsonSchema = { ...root, type: 'object' };
  const { node } = compileStructuralSchema(schema, { compilePattern });
  const { problems } = compileRules(node, rulesOf(schema), { environment, costs: { schema, unchanged } });
  return problems.map(({ reason, field, message }) => ({ reason, field, message })).sort(byField);
}

function byField(a: RuleProblem, b: RuleProblem): number {
  return `${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1;
}

/**
 * Returns a schema with a rule on the values of a map. The map has at most `most` entries, so the cost is multiplied by
 * `most`.
 */
function mapped(rule: string, most: number): JsonSchema {
  const additionalProperties = { ...cases.measuredSchema, 'x-kubernetes-validations': [{ rule }] };
  return { properties: { spec: { type: 'object', maxProperties: most, additionalProperties } } };
}

describe('costs of rules', () => {
  const measured = cases.expressions.map((rule, i) => [rule, answers.expressions[i]!] as const);

  it.each(measured)('estimates the exact cost of %s', (rule, { most, message }) => {
    if (most === undefined) {
      expect(problemsOf(mapped(rule, 10_000_001))).toEqual([]);
      return;
    }
    expect(problemsOf(mapped(rule, most)).map((problem) => problem.message)).toContain(message);
    expect(problemsOf(mapped(rule, most - 1))).toEqual([]);
  });

  const shapes = cases.schemas.map(([name, spec], i) => [name, spec, answers.schemas[i]!] as const);

  it.each(shapes)('matches the API server: %s', (_, spec, expected) => {
    expect(problemsOf({ properties: { spec } })).toEqual([...expected].sort(byField));
  });

  const roots = cases.roots.map(([name, root], i) => [name, root, answers.roots[i]!] as const);

  it.each(roots)('matches the API server for whole objects: %s', (_, root, expected) => {
    expect(problemsOf(root)).toEqual([...expected].sort(byField));
  });

  it('accepts a costly rule that was accepted before', () => {
    const spec: JsonSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.contains(self + "abc")' }] };
    const items = { properties: { spec: { type: 'array', maxItems: 1, items: spec } } };
    expect(problemsOf(items)).toHaveLength(3);
    expect(problemsOf(items, true).every(({ message }) => !message.includes('estimated rule cost exceeds'))).toBe(true);
  });
});
