import { invalid } from '../field-problem.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Findings, Validate } from './findings.ts';

/** Compiles `anyOf`, `oneOf`, `allOf` and `not`. Calls `compile` for the nested schemas. */
export function compileJunctors(schema: JsonSchema, compile: (nested: JsonSchema) => Validate): Validate | undefined {
  const compileAll = (schemas: readonly JsonSchema[] | undefined): readonly Validate[] => (schemas ?? []).map(compile);
  const anyOf = compileAll(schema.anyOf);
  const oneOf = compileAll(schema.oneOf);
  const allOf = compileAll(schema.allOf);
  const not = schema.not === undefined ? undefined : compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;
  return (value, path, at, old) => {
    if (anyOf.length > 0) checkAnyOf(anyOf, { value, path, at, old });
    if (oneOf.length > 0) checkOneOf(oneOf, { value, path, at, old });
    if (allOf.length > 0) checkAllOf(allOf, { value, path, at, old });
    if (not !== undefined && run(not, { value, path, at, old }).problems.length === 0) {
      at.problems.push(invalid('', '', `${JSON.stringify(path)} must not validate the schema (not)`));
    }
  };
}

interface Subject {
  readonly value: unknown;
  readonly path: string;
  readonly at: Findings;
  readonly old: unknown;
}

function run(validate: Validate, { value, path, old }: Subject): Findings {
  const findings: Findings = { problems: [], matches: 0 };
  validate(value, path, findings, old);
  return findings;
}

function merge(into: Findings, from: Findings): void {
  into.problems.push(...from.problems);
  into.matches += from.matches;
}

function checkAnyOf(alternatives: readonly Validate[], subject: Subject): void {
  let best: Findings | undefined;
  for (const alternative of alternatives) {
    const findings = run(alternative, subject);
    if (findings.problems.length === 0) {
      merge(subject.at, findings);
      return;
    }
    if (best === undefined || findings.matches > best.matches) best = findings;
  }
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate at least one schema (anyOf)`),
  );
  if (best !== undefined) merge(subject.at, best);
}

function checkOneOf(alternatives: readonly Validate[], subject: Subject): void {
  let best: Findings | undefined;
  let first: Findings | undefined;
  let valid = 0;
  for (const alternative of alternatives) {
    const findings = run(alternative, subject);
    if (findings.problems.length === 0) {
      valid++;
      first ??= findings;
    } else if (best === undefined || findings.matches > best.matches) {
      best = findings;
    }
  }
  if (valid === 1 && first !== undefined) {
    merge(subject.at, first);
    return;
  }
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate one and only one schema (oneOf). ${found}`),
  );
  if (valid === 0 && best !== undefined) merge(subject.at, best);
}

function checkAllOf(parts: readonly Validate[], subject: Subject): void {
  let valid = 0;
  for (const part of parts) {
    const findings = run(part, subject);
    if (findings.problems.length === 0) valid++;
    merge(subject.at, findings);
  }
  if (valid === parts.length) return;
  const none = valid === 0 ? '. None validated' : '';
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate all the schemas (allOf)${none}`),
  );
}
