import { readFileSync } from 'node:fs';
import {
  invalid,
  invalidField,
  type KubernetesObject,
  StatusError,
  seededRandom,
  VirtualClock,
} from '@kubewright/apimachinery';
import type { StatusCause } from '@kubewright/apimachinery/meta/v1';
import type { Draft, Strategy } from '@kubewright/apiserver';
import type { StrategyContext } from '@kubewright/apiserver/internal';
import { describe, expect, it } from 'vitest';
import { builtinDefinitions } from './builtin-definitions.ts';
// The recorder sends the same cases, so the fixtures contain only the responses.
import { build, type InvalidCase, invalidCases } from './testdata/invalid-objects.mjs';
import { suspectCases } from './testdata/suspect-objects.mjs';

interface Recorded {
  readonly index: number;
  readonly resource: string;
  readonly code: number;
  readonly causes?: readonly StatusCause[];
}

interface Warned {
  readonly index: number;
  readonly resource: string;
  readonly warnings: string;
}

function linesOf<T>(name: string): T[] {
  const text = readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

const recorded = linesOf<Recorded>('invalid.jsonl');
const clock = new VirtualClock();
const random = seededRandom(1);
const definitions = builtinDefinitions({ clock, random });
const context: StrategyContext = {
  user: { username: 'admin', groups: [] },
  clock,
  random,
  dryRun: true,
  warn: () => {},
};

describe('builtin validation', () => {
  it('has at least 120 recorded rejections', () => {
    expect(recorded.filter(({ code }) => code === 422).length).toBeGreaterThan(120);
  });

  it.each(recorded.map((one) => ({ ...one, changes: JSON.stringify(invalidCases[one.index]?.[1]).slice(0, 120) })))(
    'responds to $index $resource $changes as the real API server does',
    ({ index, code, causes = [] }) => {
      const made = faultsOf(index);
      if (code !== 422) expect(made).toEqual([]);
      else expect(sorted(made)).toEqual(sorted(causes));
    },
  );
});

describe('builtin warnings', () => {
  it.each(
    linesOf<Warned>('warnings.jsonl').map((one) => ({
      ...one,
      changes: JSON.stringify(suspectCases[one.index]?.[1]).slice(0, 120),
    })),
  )('warns about $index $resource $changes as the real API server does', ({ index, warnings }) => {
    // The response contains each warning only once.
    const made = [...new Set(warningsOf(index))].map((text) => `299 - ${JSON.stringify(text)}`);
    expect(made.join(', ')).toBe(warnings);
  });
});

function faultsOf(index: number): readonly StatusCause[] {
  const { strategy, object } = caseOf(invalidCases, index);
  try {
    const stored = prepared(strategy, object);
    const names = (strategy.validateName?.(object.metadata.name ?? '') ?? []).map((detail) =>
      invalidField('metadata.name', object.metadata.name, detail),
    );
    const faults = [...names, ...(strategy.validate?.(stored, context) ?? [])];
    return invalid({ group: '', kind: '' }, '', faults).status.details?.causes ?? [];
  } catch (error) {
    if (error instanceof StatusError) return error.status.details?.causes ?? [];
    throw error;
  }
}

function warningsOf(index: number): readonly string[] {
  const { strategy, object } = caseOf(suspectCases, index);
  return strategy.warnings?.(prepared(strategy, object), undefined) ?? [];
}

function caseOf(cases: readonly InvalidCase[], index: number): { strategy: Strategy; object: Draft } {
  const one = cases[index];
  if (!one) throw new Error(`case ${index} is missing; record the answers again`);
  const { resource, object } = build(one) as { resource: string; object: Draft };
  const definition = definitions.find(
    (d) => d.resource === resource && `${d.group}/${d.version}`.replace(/^\//, '') === object.apiVersion,
  );
  if (!definition) throw new Error(`no definition of ${resource}`);
  object.metadata.uid = 'uid';
  if (definition.scope === 'Namespaced') object.metadata.namespace = 'default';
  return { strategy: definition.strategy, object };
}

function prepared(strategy: Strategy, object: Draft): KubernetesObject {
  strategy.applyDefaults?.(object);
  strategy.prepareForCreate?.(object, context);
  return object as unknown as KubernetesObject;
}

function sorted(causes: readonly StatusCause[]): readonly string[] {
  return causes
    .map(({ reason, field, message }) => `${field} ${reason} ${message?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid')}`)
    .sort();
}
