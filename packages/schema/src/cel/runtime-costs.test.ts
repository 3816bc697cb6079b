import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../pattern/pattern.ts';
import type { JsonSchema } from '../structural/json-schema.ts';
import { compileStructuralSchema } from '../structural/structural-schema.ts';
import { kubernetesEnvironment } from './kubernetes-environment.ts';
import { compileRules } from './rules/rule-validator.ts';
import { rulesOf } from './rules/rules-of.ts';
// The costs that apiextensions-apiserver 1.36 computes for these cases are recorded with
// testdata/record-runtime-costs.mjs.
import { cases } from './testdata/runtime-cost-cases.mjs';

interface Answer {
  readonly cost: number;
  readonly errors: readonly string[];
}

const answers: readonly (Answer | null)[] = JSON.parse(
  readFileSync(new URL('./testdata/runtime-cost-answers.json', import.meta.url), 'utf8'),
);
const environment = kubernetesEnvironment();
const objectBudget = 10_000_000;

function evaluate(source: JsonSchema, object: unknown): Answer {
  const { node } = compileStructuralSchema(source, { compilePattern });
  const budget = { remaining: objectBudget };
  const problems = compileRules(node, rulesOf(source), { environment }).validate(object, { budget });
  return {
    cost: objectBudget - budget.remaining,
    errors: problems.map(({ field, message }) => `${field}: ${message}`),
  };
}

describe('run-time costs of rules', () => {
  const answered = cases.flatMap(({ name, schema, object }, i) => {
    const answer = answers[i];
    return answer === null || answer === undefined ? [] : [{ name, schema, object, answer }];
  });

  it.each(answered)('matches the API server: $name', ({ schema, object, answer: { cost, errors } }) => {
    const actual = evaluate(schema, object);
    // Do not compare the cost of a failing evaluation: ours ends immediately, while upstream still evaluates the other
    // operands.
    const failed = errors.some((error) => / evaluating rule: | for rule: /.test(error)) && cost <= objectBudget;
    expect({ ...actual, ...(failed && { cost }) }).toEqual({ cost, errors });
  });
});
