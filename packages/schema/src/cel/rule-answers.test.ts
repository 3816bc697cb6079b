import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../pattern/pattern.ts';
import type { JsonSchema } from '../structural/json-schema.ts';
import { compileStructuralSchema } from '../structural/structural-schema.ts';
import { kubernetesEnvironment } from './kubernetes-environment.ts';
import type { RuleProblem, ValidationRule } from './rules/rule.ts';
import { compileRules, type RuleValidator } from './rules/rule-validator.ts';
import { rulesOf } from './rules/rules-of.ts';
// A real API server's responses to these cases are recorded with testdata/record.mjs.
import * as cases from './testdata/rule-cases.mjs';

interface Answers {
  readonly badRules: readonly (readonly RuleProblem[])[];
  readonly expressions: readonly string[];
  readonly kinds: Readonly<
    Record<
      string,
      { readonly created: readonly (readonly RuleProblem[])[]; readonly updated: readonly (readonly RuleProblem[])[] }
    >
  >;
}

const answers: Answers = JSON.parse(readFileSync(new URL('./testdata/rule-answers.json', import.meta.url), 'utf8'));
const environment = kubernetesEnvironment();

function compile(spec: JsonSchema, root: Partial<JsonSchema> = {}): RuleValidator {
  const source: JsonSchema = { type: 'object', properties: { spec }, ...root };
  const { node } = compileStructuralSchema(source, { compilePattern });
  return compileRules(node, rulesOf(source), { environment, costs: { schema: source } });
}

function withRules(rules: readonly ValidationRule[]): RuleValidator {
  return compile({ ...cases.commonSchema, 'x-kubernetes-validations': rules } as JsonSchema);
}

function object(spec: unknown, name = 'thing'): unknown {
  return { apiVersion: 'cel.example.com/v1', kind: 'Thing', metadata: { name }, spec };
}

const byField = (problems: readonly RuleProblem[]): readonly RuleProblem[] =>
  problems
    .map(({ reason, message, field }) => ({ reason, message, field }))
    .sort((a, b) => `${a.field} ${a.message}`.localeCompare(`${b.field} ${b.message}`));

describe('rules of custom resources', () => {
  it.each(cases.badRules.map((rule, i) => [rule, answers.badRules[i]!] as const))('rejects %j', (rule, expected) => {
    expect(byField(withRules([rule as ValidationRule]).problems)).toEqual(byField(expected));
  });

  const answered = cases.expressions.map((expression, i) => [expression, answers.expressions[i]!] as const);

  it.each(answered)('evaluates %s', (expression, expected) => {
    const validator = withRules([{ rule: expression }]);
    const refused = validator.problems[0];
    const failed = validator.validate(object(cases.commonObject))[0];
    const actual = refused === undefined ? (failed?.message ?? 'true') : `refused: ${refused.message}`;
    expect(actual).toBe(expected);
  });

  for (const kind of cases.kinds) {
    const recorded = answers.kinds[kind.name]!;
    const validator = compile(kind.schema as JsonSchema, kind.root as Partial<JsonSchema>);
    const created = [...kind.objects.map((spec) => object(spec)), object({}, 'forbidden')];

    it.each(created.map((value, i) => [value, recorded.created[i]!] as const))(
      `${kind.name}: validates new %j`,
      (value, expected) => {
        expect(byField(validator.validate(value))).toEqual(byField(expected));
      },
    );

    it.each(kind.updates.map((update, i) => [update, recorded.updated[i]!] as const))(
      `${kind.name}: validates update %j`,
      ({ old, next }, expected) => {
        expect(byField(validator.validate(object(next), { old: object(old) }))).toEqual(byField(expected));
      },
    );
  }
});
