import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatYaml } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

const words = fc.constantFrom(
  'a',
  'b c',
  ' ',
  ' x',
  'y ',
  ': ',
  ' #',
  '- ',
  "'",
  '"',
  '\\',
  '\n',
  '\t',
  '1',
  'e5',
  'true',
  '{',
  '[',
  '&',
  '*',
  '!',
  '%',
  '@',
  '`',
  '|',
  '>',
  '~',
  '=',
  '.',
  '-',
  '+',
  'long words to fold ',
  'é',
  '\u2028',
  '\u0000',
  '😀',
);
const text = fc.oneof(
  fc.array(words, { maxLength: 12 }).map((each) => each.join('')),
  fc.string(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('formatYaml', () => {
  it('round-trips any value', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (object) => {
        const read = parseYaml(new TextEncoder().encode(formatYaml(object))).value;
        expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
      { numRuns: 500 },
    );
  });
});
