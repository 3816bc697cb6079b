import { describe, expect, it } from 'vitest';
import { reasonOf } from './left-out.mjs';

const isInstalled = (program: string): boolean => program === 'psql';

describe('reasonOf', () => {
  it.each([
    ['what the test says', { note: 'needs root', text: "it.skipIf(isMissing('kubectl'))" }, 'needs root'],
    ['the program that is missing', { text: "isMissing('psql') || isMissing('kubectl')" }, 'kubectl not installed'],
    [
      'the condition',
      { text: "describe.skipIf(!sameKubectl)(`x`); it.runIf(is('linux'))('y')" },
      "skipIf(!sameKubectl), runIf(is('linux'))",
    ],
    ['a mark', { text: "it.skip('x')" }, 'marked as skipped in its file'],
  ])('names %s', (_, skipped, reason) => {
    expect(reasonOf({ ...skipped, isInstalled })).toBe(reason);
  });
});
