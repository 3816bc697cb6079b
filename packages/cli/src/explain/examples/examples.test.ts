import { describe, expect, it } from 'vitest';
import { errorCodes } from '../generated/error-codes.ts';
import { callExamples } from './call-examples.ts';
import { commandExamples } from './command-examples.ts';
import { exampleOf, exampleText } from './index.ts';
import { typeExamples } from './type-examples.ts';

const all = [...typeExamples, ...commandExamples, ...callExamples];

describe('examples of error codes', () => {
  it('exist only for known codes, at most one for each', () => {
    const codes = all.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const known = errorCodes.map(({ code }) => code);
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  });

  it('are shown with cause and fix', () => {
    const example = exampleOf('KW6101');
    expect(example && exampleText(example)).toMatch(
      /^Example:\n\n {2}interface ShopSpec \{\n {4}readonly size\?: number;\n {2}\}\n\nCause: .*\.\n\nFix:\n\n {2}interface/,
    );
    expect(exampleOf('KW0000')).toBeUndefined();
  });

  it.each(all)('$code has a cause in complete sentences', ({ cause, mistake, fix }) => {
    expect(cause).toMatch(/^[A-Z].*\.$/);
    expect(mistake).not.toBe(fix);
  });
});
