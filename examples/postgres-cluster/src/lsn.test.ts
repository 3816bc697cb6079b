import { expect, it } from 'vitest';
import { lsnOf, parseLsn } from './lsn.ts';

it.each([
  ['0/0', 0n],
  ['0/3000060', 0x3000060n],
  ['16/B374D848', 0x16b374d848n],
  ['16/b374d848', 0x16b374d848n],
  ['1/0', 0x100000000n],
])('parses %s as %s', (text, position) => {
  expect(parseLsn(text)).toBe(position);
  expect(lsnOf(text)).toBe(position);
});

it.each(['', '3000060', '0/G', '0/123456789'])('rejects %j', (text) => {
  expect(() => parseLsn(text)).toThrow(`not an LSN: ${JSON.stringify(text)}`);
  expect(lsnOf(text)).toBe(-1n);
});

it('orders a missing LSN before all others', () => {
  expect(lsnOf(undefined)).toBe(-1n);
});
