import type { FieldType } from './schema-fields.ts';

/** Edge cases for each type: values of another type, too long, out of range, empty, or misspelled. */
export const oddValues: Readonly<Record<FieldType, readonly unknown[]>> = {
  string: [
    '',
    'A_B c!',
    'x'.repeat(300),
    'ünï',
    5,
    null,
    ['a'],
    'a',
    'a.b/c',
    '/a',
    '..',
    '10.0.0.1',
    '::1',
    'https://x',
  ],
  integer: [-1, 0, 1, 2_147_483_648, 1.5, '1', null, 100_000, 70_000],
  number: [-1, 0, 1.5, 'x', null],
  boolean: [true, false, 'true', null, 1],
  array: [[], [null], {}, null, 'x'],
  object: [{}, null, [], 'x', 5],
  map: [{}, null, { 'Bad Key!': 'v' }, { a: null }, { a: 5 }, [], { '': 'x' }],
  quantity: ['1', '-1', '1x', 1.5, '0.5', '1e3', '', '1Ki5', null, '100m', true],
  time: ['x', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00+02:00', null, 5, '2020-01-01'],
  intOrString: [-1, '5%', 'x', 0, 70_000, null, '150%', 1.5, 'http'],
  bytes: ['eA==', 'x', '', null, 5, 'e A=='],
  any: [null, 1, 'x', {}, []],
};
