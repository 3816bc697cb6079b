import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

describe('lineDiff', () => {
  it('marks changes and leaves out unchanged lines far from them', () => {
    const before = Array.from({ length: 12 }, (_, line) => `line ${line}`);
    const after = before.with(5, 'other');
    expect(lineDiff(before.join('\n'), after.join('\n'))).toBe(
      [
        '  …',
        ...['  line 2', '  line 3', '  line 4', '- line 5', '+ other', '  line 6', '  line 7', '  line 8'],
        '  …',
      ].join('\n'),
    );
  });

  it('shows every line of both texts if all are near a change', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before.join() !== after.join());
        const diff = lineDiff(before.join('\n'), after.join('\n')).split('\n');
        const side = (mark: string) => diff.filter((line) => !line.startsWith(mark)).map((line) => line.slice(2));
        expect(side('+ ')).toEqual(before);
        expect(side('- ')).toEqual(after);
      }),
    );
  });

  it('does not take quadratic time for long texts', () => {
    const long = (name: string) => Array.from({ length: 20_000 }, (_, line) => `${name} ${line}`).join('\n');
    expect(lineDiff(long('a'), long('b')).split('\n')).toHaveLength(40_000);
  });
});
