import { describe, expect, it } from 'vitest';
import { jsonPathFault } from './json-path-fault.ts';

describe('jsonPathFault', () => {
  it.each([
    'spec.validations[0].expression',
    '.a[*].b',
    "a['b.c']",
    '..',
    '..a..b',
    'A_B c!',
    'https://x',
    '[?(@.a == "b")].c',
    '1.5',
    'true',
    '"x"',
  ])('accepts %s', (text) => {
    expect(jsonPathFault(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.1', 'cannot parse number 10.0.0.1'],
    ['::1', "unrecognized character in action: U+003A ':'"],
    ['/a', "unrecognized character in action: U+002F '/'"],
    ['....', 'invalid multiple recursive descent'],
    ['a[', 'unterminated array'],
    ['a[x]', 'invalid array index x'],
    ['a[-]', 'array index - is not a number'],
    ['[?(a', 'unterminated filter'],
    ["'x", 'unterminated quoted string'],
    ['a\nb', 'unclosed action'],
  ])('rejects %s', (text, fault) => {
    expect(jsonPathFault(text)).toBe(fault);
  });
});
