import { expect, it } from 'vitest';
import { preparedPassword } from './prepared-password.ts';

it.each([
  ['keeps ASCII', 'pencil', 'pencil'],
  ['removes a soft hyphen', 'I\u00ADX', 'IX'],
  ['keeps upper case', 'USER', 'USER'],
  ['normalizes a feminine ordinal', '\u00AA', 'a'],
  ['normalizes a Roman numeral', '\u2168', 'IX'],
  ['replaces spaces that are not ASCII', 'a\u00A0b', 'a b'],
  ['leaves a password with a prohibited character unchanged', '\u00AA\u0007', '\u00AA\u0007'],
  ['leaves a password unchanged that would be empty', '\u00AD', '\u00AD'],
])('preparedPassword %s (RFC 4013)', (_, password, prepared) => {
  expect(preparedPassword(password)).toBe(prepared);
});
