import { describe, expect, it } from 'vitest';
import { checkName, isName, nameFrom } from './names.ts';

const hostile = [
  '../../x',
  '-rf',
  '$(id)',
  '`id`',
  'a;b',
  'a b',
  'a\nb',
  'a/b',
  'x'.repeat(300),
  '\u{1f600}',
  '__proto__',
  '',
];

describe('the name of a project', () => {
  it.each(hostile)('is rejected with the rule and an example: %j', (name) => {
    expect(isName('name', name)).toBe(false);
    expect(() => checkName('name', name)).toThrow(
      expect.objectContaining({
        code: 'KW7102',
        message: expect.stringContaining(`invalid name ${JSON.stringify(name)}`),
      }),
    );
  });

  it.each(hostile)('is valid when derived from the folder %j', (folder) => {
    expect(isName('name', nameFrom(folder))).toBe(true);
  });
});
