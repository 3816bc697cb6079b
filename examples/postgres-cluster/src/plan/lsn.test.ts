import { expect, it } from 'vitest';
import { lsnOf } from './lsn.ts';

it.each([
  ['0/0', 0n],
  ['0/3000060', 0x3000060n],
  ['16/B374D848', 0x16b374d848n],
  ['1/0', 0x100000000n],
  ['', -1n],
  [undefined, -1n],
  ['3000060', -1n],
])('lsnOf(%j) is %s', (text, position) => {
  expect(lsnOf(text)).toBe(position);
});
