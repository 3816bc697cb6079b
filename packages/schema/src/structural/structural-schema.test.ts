import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../pattern/pattern.ts';
import { checkStructural } from './check-schema.ts';
import type { FieldProblem } from './field-problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileStructuralSchema } from './structural-schema.ts';

interface Answer {
  readonly spec?: unknown;
  readonly old?: unknown;
  readonly code: number;
  readonly causes?: readonly FieldProblem[];
  readonly warning?: string;
}
interface Recorded {
  readonly kinds: readonly { readonly name: string; readonly schema: JsonSchema; readonly answers: readonly Sent[] }[];
  readonly badSchemas: readonly {
    readonly schema: JsonSchema;
    readonly code: number;
    readonly causes: readonly FieldProblem[];
  }[];
}
/**
 * A response of the API server. For an accepted object, `spec` is the stored spec; for a rejected object, the sent
 * spec.
 */
type Sent = Answer & { readonly sent: unknown };

const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Recorded;
const sorted = (problems: readonly FieldProblem[]): readonly string[] =>
  problems.map(({ reason, field, message }) => `${reason} ${field} ${message}`).sort();

describe('StructuralSchema', () => {
  for (const { name, schema, answers } of recorded.kinds) {
    const compiled = compileStructuralSchema({ type: 'object', properties: { spec: schema } }, { compilePattern });
    describe(`matches kube-apiserver 1.36 for ${name}`, () => {
      it.each(answers.map((answer) => [JSON.stringify(answer.sent), answer] as const))('%s', (_, answer) => {
        const wrap = (spec: unknown): unknown => ({
          apiVersion: 'rec.example.com/v1',
          kind: name[0]?.toUpperCase() + name.slice(1),
          metadata: { name: 'x' },
          spec,
        });
        const pruned = compiled.prune(wrap(answer.sent));
        const object = compiled.applyDefaults(pruned.value) as { spec?: unknown };
        const old = answer.old === undefined ? undefined : compiled.applyDefaults(wrap(answer.old));
        const problems = compiled.validate(object, { old });
        if (answer.code >= 300) {
          expect(sorted(problems)).toEqual(sorted(answer.causes ?? []));
        } else {
          expect(sorted(problems)).toEqual([]);
          expect(object.spec).toEqual(answer.spec);
        }
        const warnings = [...(answer.warning ?? '').matchAll(/299 - "unknown field \\"(.*?)\\""/g)].map((m) => m[1]);
        if (answer.old === undefined) expect(pruned.unknownPaths).toEqual(warnings.sort());
      });
    });
  }
});

describe('checkStructural', () => {
  it.each(recorded.badSchemas.map((entry) => [JSON.stringify(entry.schema), entry] as const))(
    'checks %s as kube-apiserver 1.36 does',
    (_, { schema, causes }) => {
      const problems = checkStructural(schema, { path: 'spec.validation.openAPIV3Schema', compilePattern });
      expect(sorted(problems)).toEqual(sorted(causes));
    },
  );
});
