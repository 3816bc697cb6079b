import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import { type Outcome, runSuite, type Suite } from './testdata/conformance-runner.ts';

// The vectors are cel-spec's own, as data; their type is theirs.
const root = conformance as unknown as Suite;

describe('conformance', () => {
  for (const suite of root.suites ?? []) {
    const outcomes: readonly Outcome[] = runSuite(suite);
    const failed = outcomes.filter((outcome) => outcome.kind === 'failed');
    const passed = outcomes.filter((outcome) => outcome.kind === 'passed');
    it(`passes ${suite.name} (${passed.length} of ${outcomes.length})`, () => {
      expect(failed.map((outcome) => `${outcome.name}: ${outcome.detail}`)).toEqual([]);
    });
  }
});
