import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import { runSuite, type Suite } from './testdata/conformance-runner.ts';

// The package ships the test vectors as untyped data.
const root = conformance as unknown as Suite;

describe('conformance with cel-spec', () => {
  const all = (root.suites ?? []).map((suite) => [suite.name, runSuite(suite)] as const);

  it.each(all)('passes all vectors of %s on plain values', (_, outcomes) => {
    const failed = outcomes.filter(({ kind }) => kind === 'failed');
    expect(failed.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
  });

  it('covers all vectors that need neither protobuf nor libraries that Kubernetes lacks', () => {
    const count = new Map<string, number>();
    for (const { kind, detail } of all.flatMap(([, outcomes]) => outcomes)) {
      const key = kind === 'excluded' ? detail : kind;
      count.set(key, (count.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(count)).toEqual({
      passed: 1423,
      'Kubernetes has no math extension': 199,
      'cel-go deduces null as well: the vectors carry its answer': 1,
      'cel.block is inserted by an optimizer, never written': 37,
      'protobuf enums': 85,
      'protobuf extensions': 18,
      'protobuf messages': 543,
      'protobuf wrapper types': 36,
      'since cel-go 0.26 an offset beyond the end finds nothing': 2,
    });
  });
});
